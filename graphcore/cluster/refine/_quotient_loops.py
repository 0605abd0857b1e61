"""Compiled loops that look at a graph through a labelling: parts, the graph between them, and samples."""

from math import log

import numpy as np

from ...base.loops import compiled
from ...graphs._loops import add, nth_largest
from ._objective_loops import forget, gather

_A, _B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)


@compiled
def group_nodes(labels, starts, members):
    """Nodes by label: cluster c is members[starts[c]:starts[c + 1]]; labels of -1 are left out.

    `starts` come with zeros.
    """
    n_clusters = len(starts) - 1
    for x in range(len(labels)):
        if labels[x] >= 0:
            starts[labels[x] + 1] += 1
    for c in range(n_clusters):
        starts[c + 1] += starts[c]
    for x in range(len(labels)):
        c = labels[x]
        if c >= 0:
            members[starts[c]] = x
            starts[c] += 1
    for c in range(n_clusters, 0, -1):  # each is where the next one begins now
        starts[c] = starts[c - 1]
    starts[0] = 0


@compiled
def gather_links(grouping, a, found):
    """Weights between cluster a and all others into `places`; returns how many clusters are listed.

    A `grouping` is a graph by its clusters: its arrays but for the degrees, the labels, and starts and members.
    """
    (indptr, indices, weights), labels, starts, members = grouping
    sums, is_listed, touched = found
    weighted = len(weights) > 0
    n_touched = 0
    for m in range(starts[a], starts[a + 1]):
        x = members[m]
        for e in range(indptr[x], indptr[x + 1]):
            b = labels[indices[e]]
            if b < 0:
                continue
            n_touched = add(sums, is_listed, touched, n_touched, b, weights[e] if weighted else 1.0)
    return n_touched


@compiled
def _strength(weight, volume_a, volume_b, total):
    """Return the strength of a link: its weight times the logarithm of weight over expected weight."""
    return np.float32(weight * log(weight / volume_a * total / volume_b))


@compiled
def link_cuts(grouping, volumes, total, max_links, first, last, found, strengths, cuts):
    """Strength of the `max_links`-th strongest link of clusters first to last, -inf where there are no more.

    `found` are `places` for the clusters, and `strengths` (n_clusters,) float32 is room for those of one.
    """
    sums, _, touched = found
    for a in range(first, last):
        n_touched = gather_links(grouping, a, found)
        n_links = 0
        for t in range(n_touched):
            b = touched[t]
            if b != a:
                strengths[n_links] = _strength(sums[b], volumes[a], volumes[b], total)
                n_links += 1
        forget(found, n_touched)
        cuts[a] = nth_largest(strengths, n_links, max_links) if n_links > max_links else -np.inf


@compiled
def quotient_rows(grouping, volumes, total, max_links, chosen, found, cuts, out_counts, columns, values):
    """The chosen rows of the graph between clusters: entry (a, b) is the weight between a and b.

    The diagonal holds the weight inside, both directions counted, so row sums are volumes, as long as no node with an
    edge is left out (label -1). With `max_links`, links that are strong for neither end (`cuts`) are left out. Columns
    and weights of these rows are written one after the other, in the order met; out_counts gets row lengths. `found`
    are `places` for the clusters. Returns the number of entries.
    """
    sums, _, touched = found
    length = 0
    for i in range(len(chosen)):
        a, start = chosen[i], length
        n_touched = gather_links(grouping, a, found)
        for t in range(n_touched):
            b = touched[t]
            kept = max_links == 0 or b == a
            if not kept:
                strength = _strength(sums[b], volumes[a], volumes[b], total)
                # Sums taken in another order differ in the last bits; both ends must come to the same answer.
                strength += np.float32(1e-5) * abs(strength)
                kept = strength >= cuts[a] or strength >= cuts[b]
            if kept:
                columns[length] = b
                values[length] = sums[b]
                length += 1
        forget(found, n_touched)
        out_counts[i] = length - start
    return length


@compiled
def number_pairs(other, starts, members, names, out):
    """Number the pairs (part, other label), or -1 where either is missing, which is what `out` comes with.

    `names` (number of other labels,) come with -1 and are left so. Returns how many pairs there are.
    """
    count = 0
    for c in range(len(starts) - 1):
        for m in range(starts[c], starts[c + 1]):
            x = members[m]
            if other[x] >= 0:
                if names[other[x]] < 0:
                    names[other[x]] = count
                    count += 1
                out[x] = names[other[x]]
        for m in range(starts[c], starts[c + 1]):
            if other[members[m]] >= 0:
                names[other[members[m]]] = -1
    return count


@compiled
def is_sampled(x, z, limit):
    """Whether an edge is in the sample: by a hash of its ends, the same from either one; `limit` is a share of 2^64."""
    mixed = (np.uint64(min(x, z)) * _A + np.uint64(max(x, z))) * _B
    mixed = (mixed ^ (mixed >> _SHIFT)) * _A
    return (mixed ^ (mixed >> _SHIFT)) < limit


@compiled
def sample_links(rows, labels, first, last, limit):
    """Edges from rows first to last to later ones that are in the sample: (cluster of the row, of the column, weight).

    The column's cluster c of a self-loop is written as -1 - c. Weights are of length 0 where the graph's are. Edges
    with an end of label -1 are left out.
    """
    indptr, indices, weights, _ = rows
    weighted = len(weights) > 0
    room = indptr[last] - indptr[first]
    sources = np.empty(room, dtype=np.int32)
    targets = np.empty(room, dtype=np.int32)
    values = np.empty(room if weighted else 0)
    length = 0
    for x in range(first, last):
        a = labels[x]
        if a < 0:
            continue
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            if z >= x and is_sampled(x, z, limit) and labels[z] >= 0:
                sources[length] = a
                targets[length] = labels[z] if z > x else -1 - labels[z]
                if weighted:
                    values[length] = weights[e]
                length += 1
    # Copies, since most of the room was not needed.
    return sources[:length].copy(), targets[:length].copy(), values[:length].copy()


@compiled
def count_links(links, first, last, counts, degrees):
    """Add up what links bring to those rows of both their ends that are from first to last: entries, and weight."""
    sources, targets, values = links
    for i in range(len(sources)):
        weight = values[i] if len(values) > 0 else 1.0
        for row in (sources[i], targets[i]):
            if first <= row < last:
                counts[row] += 1
                degrees[row] += weight


@compiled
def place_links(links, first, last, cursors, indices, weights):
    """Put links into those rows of both their ends that are from first to last, at the rows' cursors on."""
    sources, targets, values = links
    for i in range(len(sources)):
        a, b = sources[i], targets[i]
        weight = values[i] if len(values) > 0 else 1.0
        for row, column in ((a, b), (b, a)):
            if first <= row < last:
                place = cursors[row]
                indices[place] = column if column >= 0 else -1 - column
                if len(values) > 0:
                    weights[place] = weight
                cursors[row] = place + 1


@compiled
def claim_nodes(points, rows, scale, loops, best, labels):
    """Every node goes to the row that is largest there, of equals to its own row or else the first.

    `rows` of the points are (starts, stops, indices, values), to be scaled. `best` comes with what a row's loop alone
    gives at its own point; untouched nodes keep their cell.
    """
    starts, stops, indices, values = rows
    weighted = len(values) > 0
    for r in range(len(starts)):
        own = points[r]
        for e in range(starts[r], stops[r]):
            x = indices[e]
            value = scale[r] * values[e] if weighted else scale[r]
            if x == own:
                value += scale[r] * loops[r]
            offer = np.float32(value)
            if offer > best[x] or (x == own and offer == best[x]):
                best[x] = offer
                labels[x] = r


@compiled
def offer_labels(rows, labels, first, last, found, nodes, offers):
    """For nodes first to last of label -1 the label with most weight around them; of equals, the first met.

    `nodes` and `offers` are filled with those that have a labelled neighbour; returns how many. `found` are `places`
    for the labels.
    """
    sums, _, touched = found
    n_found = 0
    for x in range(first, last):
        if labels[x] >= 0:
            continue
        n_touched, _ = gather(rows, labels, x, found)
        highest, chosen = -1.0, -1
        for t in range(n_touched):
            if sums[touched[t]] > highest:
                highest, chosen = sums[touched[t]], touched[t]
        forget(found, n_touched)
        if chosen >= 0:
            nodes[n_found], offers[n_found] = x, chosen
            n_found += 1
    return n_found


@compiled
def spread_labels(rows, sums, queue, queued, labels):
    """Give nodes of label -1 the label with most weight around them, breadth first from the labelled ones.

    A component that holds no label becomes a new one. Nodes without any edge stay -1. Returns the number of labels.
    `sums` (n_labels,) and `queued` (n,) come with zeros, `queue` (n,) as it is.
    """
    indptr, indices, weights, _ = rows
    n, n_labels = len(labels), len(sums)
    weighted = len(weights) > 0
    head, tail = 0, 0
    for x in range(n):
        if labels[x] < 0:
            for e in range(indptr[x], indptr[x + 1]):
                if labels[indices[e]] >= 0:
                    queue[tail] = x
                    tail += 1
                    queued[x] = True
                    break
    while head < tail:
        x = queue[head]
        head += 1
        highest, chosen = -1.0, -1
        for e in range(indptr[x], indptr[x + 1]):
            c = labels[indices[e]]
            if c >= 0:
                sums[c] += weights[e] if weighted else 1.0
                if sums[c] > highest:
                    highest, chosen = sums[c], c
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            if labels[z] >= 0:
                sums[labels[z]] = 0.0
            elif not queued[z]:
                queue[tail] = z
                tail += 1
                queued[z] = True
        labels[x] = chosen
    for y in range(n):
        if labels[y] >= 0 or indptr[y] == indptr[y + 1]:
            continue
        head, tail = 0, 1
        queue[0] = y
        labels[y] = n_labels
        while head < tail:
            x = queue[head]
            head += 1
            for e in range(indptr[x], indptr[x + 1]):
                z = indices[e]
                if labels[z] < 0:
                    labels[z] = n_labels
                    queue[tail] = z
                    tail += 1
        n_labels += 1
    return n_labels


@compiled
def join_parts(rows, total, clusters, resolutions, parts, order, own, joined, volumes, is_alone, around):
    """Parts, visited in `order`, join others inside their cluster where that gains most modularity.

    `parts` are (of_node, starts, members): part u is the nodes ``members[starts[u]:starts[u + 1]]``, of_node (n,) says
    which one a node is in (-1: none); where they are of length 0 every node is a part. `clusters` (n_parts,) says in
    which cluster a part lies. On entry every part is alone, ``joined[u] == u`` (-1: left out), of volume
    ``volumes[u]``, out of `total`; joined parts have the number of the first of them, which stays. `own` are volumes
    as they were, and `is_alone` (n_parts,) bool is True on entry. `resolutions`
    (n_clusters,) weighs a link against one by chance. `around`: (links, seen, listed), (n_parts,) each, `seen` of -1.
    """
    indptr, indices, weights, _ = rows
    of_node, starts, members = parts
    links, seen, listed = around
    nested, weighted = len(of_node) > 0, len(weights) > 0
    for u in order:
        if joined[u] < 0 or not is_alone[u]:
            continue
        n_around = 0
        for m in range(starts[u] if nested else u, starts[u + 1] if nested else u + 1):
            x = members[m] if nested else m
            for e in range(indptr[x], indptr[x + 1]):
                v = of_node[indices[e]] if nested else indices[e]
                if v < 0 or v == u or clusters[v] != clusters[u]:
                    continue
                g = joined[v]
                if seen[g] != u:
                    seen[g] = u
                    links[g] = 0.0
                    listed[n_around] = g
                    n_around += 1
                links[g] += weights[e] if weighted else 1.0
        by_chance = resolutions[clusters[u]] * own[u] / total
        best, gain = -1, 0.0
        for i in range(n_around):
            g = listed[i]
            if links[g] - by_chance * volumes[g] > gain:
                best, gain = g, links[g] - by_chance * volumes[g]
        if best >= 0:
            volumes[best] += own[u]
            volumes[u] = 0.0
            joined[u] = best
            is_alone[u] = False
            is_alone[best] = False

namespace Broker.Bridge;

/// <content>Finds filters by their text, and the filters above and below a filter. A filter above another one matches
/// all subjects of that filter and more.</content>
internal sealed partial class InterestSet
{
    private readonly Dictionary<byte[], InterestFilter> _filters = new(new ByteStringComparer());
    private readonly Dictionary<byte[], InterestFilter>.AlternateLookup<ReadOnlySpan<byte>> _filtersBySpan;
    // In byte order, all filters below a stem are one range: from the stem with '.' to the stem with the next byte,
    // '/'.
    private readonly SortedSet<InterestFilter> _ordered =
        new(Comparer<InterestFilter>.Create(static (x, y) => x.Stem.AsSpan().SequenceCompareTo(y.Stem)));

    private InterestFilter FindOrCreate(ReadOnlySpan<byte> stem)
    {
        if (_filtersBySpan.TryGetValue(stem, out InterestFilter? filter))
        {
            return filter;
        }

        filter = new InterestFilter(stem.ToArray());
        _filters.Add(filter.Stem, filter);
        _ordered.Add(filter);
        return filter;
    }

    private void ForgetIfUnused(InterestFilter filter)
    {
        if (filter.Wanted > 0 || filter.Phase != InterestPhase.Absent)
        {
            return;
        }

        _filters.Remove(filter.Stem);
        _ordered.Remove(filter);
    }

    /// <summary>
    /// Returns the nearest filter above this stem. Call it again with the stem of the result to find the next filter
    /// above.
    /// </summary>
    private InterestFilter? Above(ReadOnlySpan<byte> stem)
    {
        while (stem.Length > _codec.Prefix.Length)
        {
            stem = stem[..stem.LastIndexOf((byte)'.')];
            if (_filtersBySpan.TryGetValue(stem, out InterestFilter? filter))
            {
                return filter;
            }
        }

        return null;
    }

    private bool HasWantedAbove(InterestFilter filter)
    {
        for (InterestFilter? above = Above(filter.Stem); above is not null; above = Above(above.Stem))
        {
            if (above.Wanted > 0)
            {
                return true;
            }
        }

        return false;
    }

    private bool HasActiveAbove(InterestFilter filter)
    {
        for (InterestFilter? above = Above(filter.Stem); above is not null; above = Above(above.Stem))
        {
            if (above.Phase == InterestPhase.Active)
            {
                return true;
            }
        }

        return false;
    }

    private bool HasActiveBelow(InterestFilter filter)
    {
        foreach (InterestFilter below in Below(filter))
        {
            if (below.Phase == InterestPhase.Active)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>
    /// Returns a copy of the list of all filters strictly below, because callers change the set while they use it.
    /// </summary>
    private List<InterestFilter> Below(InterestFilter filter)
    {
        if (_ordered.Count == 1)
        {
            return [];
        }

        var first = new InterestFilter([.. filter.Stem, (byte)'.']);
        var end = new InterestFilter([.. filter.Stem, (byte)'/']);
        return [.. _ordered.GetViewBetween(first, end)];
    }
}

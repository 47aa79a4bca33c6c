using System.Diagnostics.CodeAnalysis;

namespace Broker.Bridge;

/// <summary>
/// The links of one ingress to egresses. Links whose egress has answered a probe are counted, and get messages in turn.
/// All other links are candidates: their egresses have announced themselves but not answered yet. Used on the ingress's
/// loop.
/// </summary>
internal sealed class IngressLinks(PipelineLimits limits, PipelineBudget budget)
{
    private readonly List<IngressLink> _admitted = [];
    private readonly Dictionary<long, IngressLink> _byNumber = [];
    private readonly Dictionary<byte[], IngressLink> _byEgress = new(new ByteStringComparer());

    // The first candidate is the oldest.
    private readonly LinkedList<IngressLink> _candidates = [];
    private int _next;

    internal int Count => _admitted.Count;

    internal IngressLink this[int index] => _admitted[index];

    public List<IngressLink>.Enumerator GetEnumerator() => _admitted.GetEnumerator();

    /// <summary>Returns the next link in turn that has capacity for a message of this size.</summary>
    internal IngressLink? Choose(int size)
    {
        for (int left = _admitted.Count; left > 0; left--)
        {
            if (_next >= _admitted.Count)
            {
                _next = 0;
            }

            IngressLink link = _admitted[_next++];
            if (link.HasCredit(size))
            {
                return link;
            }
        }

        return null;
    }

    internal bool TryGet(long number, [NotNullWhen(true)] out IngressLink? link)
        => _byNumber.TryGetValue(number, out link);

    internal bool TryGet(ReadOnlySpan<byte> egress, [NotNullWhen(true)] out IngressLink? link)
        => _byEgress.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(egress, out link);

    internal long NewNumber()
    {
        long number;
        do
        {
            number = PipelineSubjects.NewLinkNumber();
        }
        while (_byNumber.ContainsKey(number));

        return number;
    }

    /// <summary>
    /// Adds the link of an egress that must answer a probe first. The oldest candidate may lose its place.
    /// </summary>
    internal void AddCandidate(IngressLink link)
    {
        if (_candidates.Count >= limits.MostPeers)
        {
            RemoveCandidate(_candidates.First!.Value);
        }

        _byEgress.Add(link.Egress, link);
        _byNumber.Add(link.Number, link);
        link.Candidate = _candidates.AddLast(link);
    }

    /// <summary>
    /// Gives a candidate a place, because it has answered. Returns false if all places are taken.
    /// </summary>
    internal bool TryAdmit(IngressLink link)
    {
        if (_admitted.Count >= limits.MostPeers)
        {
            return false;
        }

        _candidates.Remove(link.Candidate!);
        link.Candidate = null;
        _admitted.Add(link);
        budget.Divide(_admitted.Count);
        return true;
    }

    internal void RemoveSilentCandidates()
    {
        for (LinkedListNode<IngressLink>? node = _candidates.First; node is not null;)
        {
            IngressLink candidate = node.Value;
            node = node.Next;
            if (++candidate.SilentTicks > limits.MostSilentTicks)
            {
                RemoveCandidate(candidate);
            }
        }
    }

    /// <summary>Removes the link of an admitted egress.</summary>
    internal void Remove(IngressLink link)
    {
        Forget(link);
        _admitted.Remove(link);
        budget.Divide(_admitted.Count);
    }

    internal void Clear()
    {
        _admitted.Clear();
        _candidates.Clear();
        _byNumber.Clear();
        _byEgress.Clear();
    }

    private void RemoveCandidate(IngressLink candidate)
    {
        _candidates.Remove(candidate.Candidate!);
        candidate.Candidate = null;
        Forget(candidate);
    }

    private void Forget(IngressLink link)
    {
        link.IsClosed = true;
        _byNumber.Remove(link.Number);
        _byEgress.Remove(link.Egress);
    }
}

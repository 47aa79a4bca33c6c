namespace Broker.Bridge;

// Egresses that have announced themselves and must answer a probe before they get messages.
internal sealed partial class Ingress<TConnection>
{
    // Gives the egress a place, because it has answered. Returns false if all places are taken.
    private bool TryAdmit(IngressLink link)
    {
        if (_links.Count >= _limits.MostPeers)
        {
            return false;
        }

        _candidates.Remove(link.Candidate!);
        link.Candidate = null;
        _links.Add(link);
        _budget.Divide(_links.Count);
        return true;
    }

    // An egress sends a token if it does not know the link: it gives the link a place when the token comes back.
    private void TakeToken(IngressLink link, ReadOnlySpan<byte> token)
    {
        if (!token.IsEmpty && PipelineSubjects.IsId(token, tokens: 1))
        {
            link.Token = token.ToArray();
            Probe(link);
        }
    }

    private void RemoveSilentCandidates()
    {
        for (LinkedListNode<IngressLink>? node = _candidates.First; node is not null;)
        {
            IngressLink candidate = node.Value;
            node = node.Next;
            if (++candidate.SilentTicks > _limits.MostSilentTicks)
            {
                RemoveCandidate(candidate);
            }
        }
    }

    private void RemoveCandidate(IngressLink candidate)
    {
        _candidates.Remove(candidate.Candidate!);
        candidate.Candidate = null;
        candidate.IsClosed = true;
        _byNumber.Remove(candidate.Number);
        _byEgress.Remove(candidate.Egress);
    }

    private long NewNumber()
    {
        long number;
        do
        {
            number = PipelineSubjects.NewLinkNumber();
        }
        while (_byNumber.ContainsKey(number));

        return number;
    }
}

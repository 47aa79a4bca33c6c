using System.Text;

namespace Broker.Bridge;

// The links of ingresses: which ones get a place, and which ones lose it.
internal sealed partial class Egress<TConnection, TSink>
{
    // A place goes to an ingress that has returned its token, so that nobody can use up the places who does not receive
    // what the egress sends. Ingresses that know no tokens share half of the places.
    private EgressLink? FindOrAddLink(in PipelineHeader header)
    {
        if (_links.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(header.Ingress, out EgressLink? link))
        {
            if (!link.IsProven && !header.Token.IsEmpty && _tokens.IsOf(header.Ingress, header.Token))
            {
                link.IsProven = true;
                _unproven--;
            }

            return link;
        }

        bool isProven = !header.Token.IsEmpty && _tokens.IsOf(header.Ingress, header.Token);
        if (!isProven && header.Sequence < 1)
        {
            AnswerStranger(header);
            return null;
        }

        if (!HasPlace(isProven))
        {
            Counters.CountRefused();
            return null;
        }

        byte[] name = header.Ingress.ToArray();
        link = new EgressLink(
            name, Id, PipelineSubjects.Bytes(_subjects.InPrefix + Encoding.ASCII.GetString(name)), _pool)
        {
            IsProven = isProven,
        };
        _unproven += isProven ? 0 : 1;
        _links.Add(name, link);
        _budget.Divide(_links.Count);
        return link;
    }

    private bool HasPlace(bool isProven)
        => isProven ? _links.Count < _limits.MostPeers || TryRemoveSilent(provenToo: true)
            : (_links.Count < _limits.MostPeers && _unproven < Math.Max(1, _limits.MostPeers / 2)) || TryRemoveSilent(provenToo: false);

    // Answers a probe of a link that the egress does not know, as if nothing of the link had arrived. The egress
    // remembers nothing of it.
    private void AnswerStranger(in PipelineHeader header)
    {
        if (header.Last < 0)
        {
            Counters.CountRefused();
            return;
        }

        Span<byte> subject = stackalloc byte[_inPrefix.Length + PipelineSubjects.LongestId];
        _inPrefix.CopyTo(subject);
        header.Ingress.CopyTo(subject[_inPrefix.Length..]);
        Span<byte> token = stackalloc byte[LinkTokens.Length];
        _tokens.Write(header.Ingress, token);
        HeaderBuilder headers = _strangerHeaders.Begin().Line("Zmq-Ack: "u8, 0)
            .Line("Zmq-Window: "u8, _limits.Window, WindowBytes).Line("Zmq-Token: "u8, token);
        if (header.Last > 0)
        {
            headers.Line("Zmq-Resend: "u8, 1);
        }

        _connection.Publish(subject[..(_inPrefix.Length + header.Ingress.Length)], headers.Finish(), default);
    }

    // While no server is connected, silence is not counted, however long that lasts. If a link were removed, the egress
    // would not know which of its messages PUSH had taken, and the ingress would send all of them again.
    private void CountSilence()
    {
        foreach (EgressLink link in _links.Values)
        {
            // A link with queued messages stays until PUSH has taken them.
            if (++link.SilentTicks > _limits.RememberedTicks && link.Queue.IsEmpty)
            {
                _expired.Add(link);
            }
        }
    }

    // Removes the link that has been silent for the longest time and has no queued messages, to make space for another
    // ingress.
    private bool TryRemoveSilent(bool provenToo)
    {
        EgressLink? silent = null;
        foreach (EgressLink link in _links.Values)
        {
            if (link.SilentTicks > (silent?.SilentTicks ?? _limits.MostSilentTicks) && link.Queue.IsEmpty
                && (provenToo || !link.IsProven))
            {
                silent = link;
            }
        }

        if (silent is not null)
        {
            RemoveLink(silent);
        }

        return silent is not null;
    }

    private void Discard(EgressLink link)
    {
        Counters.CountReleased(link.Queue.Count);
        _waitingCount -= link.Queue.Count;
        link.Queue.Clear();
        _waiting.Remove(link);
    }

    private void RemoveLink(EgressLink link)
    {
        _links.Remove(link.Ingress);
        _budget.Divide(_links.Count);
        _unproven -= link.IsProven ? 0 : 1;
        link.IsAckDue = false;
        if (_lastLink == link)
        {
            _lastLink = null;
        }
    }
}

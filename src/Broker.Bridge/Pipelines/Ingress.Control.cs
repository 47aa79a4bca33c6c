using System.Text;

namespace Broker.Bridge.Pipelines;

// What egresses say, and what is done when they say nothing.
internal sealed partial class Ingress<TWire>
{
    /// <summary>An egress announces itself.</summary>
    /// <param name="headers">What came on <see cref="PipelineSubjects.Egresses"/>.</param>
    internal void OnAnnouncement(ReadOnlySpan<byte> headers)
    {
        if (!PipelineHeader.TryParse(headers, out PipelineHeader header)
            || !PipelineSubjects.IsId(header.Egress, tokens: 1) || header.WindowMessages < 1 || header.WindowBytes < 1)
        {
            return;
        }

        if (_byEgress.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(header.Egress, out IngressLink? link))
        {
            link.Silence = 0;
            if (link.IsHeld || !link.Queue.IsEmpty)
            {
                // It may have been away, and have missed something.
                Probe(link);
            }

            return;
        }

        if (_links.Count >= _limits.MostPeers)
        {
            return;
        }

        byte[] egress = header.Egress.ToArray();
        link = new IngressLink(
            Id, ++_lastNumber, egress, PipelineSubjects.Bytes(_subjects.Out(Encoding.ASCII.GetString(egress))), _pool, _limits.WindowBytes);
        link.Open(header.WindowMessages, header.WindowBytes, _limits.Window);
        _byEgress.Add(egress, link);
        _byNumber.Add(link.Number, link);
        _links.Add(link);
        Continue();
    }

    /// <summary>An egress acknowledges, asks for something again, or ends a link.</summary>
    /// <param name="number">The link's, from the subject.</param>
    /// <param name="headers">What came.</param>
    internal void OnAcknowledgement(long number, ReadOnlySpan<byte> headers)
    {
        if (!PipelineHeader.TryParse(headers, out PipelineHeader header) || header.Acknowledged < 0)
        {
            return;
        }

        if (!_byNumber.TryGetValue(number, out IngressLink? link))
        {
            if (!header.End && PipelineSubjects.IsId(header.Egress, tokens: 1))
            {
                SendEnd(number, header.Egress);
            }

            return;
        }

        link.Silence = 0;
        bool isForgotten = IsForgotten(link, header);
        link.Unanswered = 0;
        long messages = link.Acknowledge(header.Acknowledged);
        if (messages > 0)
        {
            Counters.CountAcknowledged(messages);
        }

        if (header.End)
        {
            // It says exactly what it took.
            GiveUp(link, perhapsTaken: messages < 0);
        }
        else if (messages < 0 || isForgotten)
        {
            // It has forgotten us, or is not what it says: what it may still hold goes to others now.
            SendEnd(link.Number, link.Egress);
            GiveUp(link, perhapsTaken: true);
        }
        else
        {
            link.IsHeld = false;
            if (header.WindowMessages > 0 && header.WindowBytes > 0)
            {
                link.Open(header.WindowMessages, header.WindowBytes, _limits.Window);
            }

            if (header.Resend > link.Acknowledged && header.Resend <= link.Sent)
            {
                link.Queue.Rewind((int)(header.Resend - 1 - link.Acknowledged));
            }

            Pump(link);
        }

        Continue();
    }

    /// <summary>There is a server: the first, or another.</summary>
    internal void OnConnected()
    {
        _isBlocked = false;
        _wire.Publish(_askSubject, _ownHeaders.Begin().Finish(), default);
        foreach (IngressLink link in _links)
        {
            link.Silence = 0;
            link.IsHeld = true;
            Probe(link);
        }

        Continue();
    }

    /// <summary>The connection takes messages again.</summary>
    internal void OnWritable()
    {
        _isBlocked = false;
        foreach (IngressLink link in _links)
        {
            Pump(link);
        }

        Continue();
    }

    /// <summary>To be called at intervals: asks what has arrived, and gives up who has been silent for too long.</summary>
    internal void Tick()
    {
        foreach (IngressLink link in _links)
        {
            link.Unanswered++;
        }

        if (!_wire.IsConnected)
        {
            return;
        }

        for (int i = _links.Count - 1; i >= 0; i--)
        {
            IngressLink link = _links[i];
            if (++link.Silence > _limits.MostSilentTicks)
            {
                SendEnd(link.Number, link.Egress);
                GiveUp(link, perhapsTaken: true);
            }
            else
            {
                Probe(link);
            }
        }

        // What was refused by the connection without a word is tried again.
        OnWritable();
    }

    /// <summary>Tells egresses that nothing more comes. What is not acknowledged then stays with them, or is lost with this ingress.</summary>
    internal void Close()
    {
        foreach (IngressLink link in _links)
        {
            if (link.Queue.IsEmpty)
            {
                SendEnd(link.Number, link.Egress);
            }

            link.Queue.Clear();
        }

        foreach ((_, MessageQueue messages, _) in _orphans)
        {
            messages.Clear();
        }

        _orphans.Clear();
        _links.Clear();
        _byNumber.Clear();
        _byEgress.Clear();
    }

    // Of a link of which it remembers nothing an egress says the same as where nothing of it has arrived. After so long that it may have forgotten
    // the link, what was sent may have been taken.
    private bool IsForgotten(IngressLink link, in PipelineHeader header)
        => header is { Acknowledged: 0, Resend: 1 } && link.HighestSent > 0 && link.Unanswered > _limits.RememberedTicks / 2;

    private void Continue()
    {
        AdoptOrphans();
        TellRoom();
    }

    private void Probe(IngressLink link)
        => _wire.Publish(link.Subject, link.Headers.Begin().Line("Zmq-Last: "u8, link.Sent).Finish(), default);

    private void SendEnd(long number, ReadOnlySpan<byte> egress)
    {
        string subject = _subjects.Out(Encoding.ASCII.GetString(egress));
        _wire.Publish(
            PipelineSubjects.Bytes(subject), PipelineSubjects.Bytes($"NATS/1.0\r\nZmq-Ingress: {Id}.{number}\r\nZmq-End: 1\r\n\r\n"), default);
    }

    // An egress is gone: others get what it has not acknowledged.
    private void GiveUp(IngressLink link, bool perhapsTaken)
    {
        link.IsGone = true;
        _byNumber.Remove(link.Number);
        _byEgress.Remove(link.Egress);
        _links.Remove(link);
        if (!link.Queue.IsEmpty)
        {
            // Before all others: what it was to pass on of them comes first.
            _orphans.AddFirst((link, link.Queue, perhapsTaken ? link.HighestSent - link.Acknowledged : 0));
        }
    }

    private void AdoptOrphans()
    {
        while (!_isBlocked && _wire.IsConnected && _orphans.First is { } node)
        {
            (IngressLink from, MessageQueue messages, long perhapsTaken) = node.Value;
            if (!messages.IsEmpty)
            {
                int size = messages.Peek(out MessageShape shape).Length;
                IngressLink? to = AdopterFor(from, size);
                if (to is null)
                {
                    return;
                }

                bool moved = shape.Moved || perhapsTaken > 0;
                to.Queue.Add(messages.Peek(out _), shape with { Moved = moved });
                messages.RemoveFirst();
                node.Value = (from, messages, perhapsTaken - 1);
                Counters.CountMoved(perhapsTaken > 0);
                Pump(to);
            }

            if (messages.IsEmpty)
            {
                _orphans.RemoveFirst();
            }
        }
    }

    private IngressLink? AdopterFor(IngressLink from, int size)
    {
        if (!_limits.KeepOrder)
        {
            return Choose(size);
        }

        // All of one link go to one other, and what had gone there is where that one's went.
        IngressLink? to = Follow(from.Successor);
        from.Successor = to ??= Choose(size);
        return to is not null && to.HasCredit(size) ? to : null;
    }

    // Where the messages of a link go now.
    private static IngressLink? Follow(IngressLink? link)
    {
        while (link is { IsGone: true })
        {
            link = link.Successor;
        }

        return link;
    }

    // Whether a message given to a link, or to any for null, could pass others of its pusher that are still to be adopted. They may be among those
    // that go to the same link; and while some go nowhere yet, nobody takes the room that they wait for.
    private bool IsBehindOrphans(IngressLink? link)
    {
        foreach ((IngressLink from, _, _) in _orphans)
        {
            if (Follow(from.Successor) is not { } to || to == link)
            {
                return true;
            }
        }

        return false;
    }
}

using System.Text;
using Broker.Client;

namespace Broker.Bridge;

// Handles announcements and acknowledgements of egresses, and their absence.
internal sealed partial class Ingress<TConnection>
{
    /// <summary>Handles the announcement of an egress.</summary>
    /// <param name="headers">The headers of a message on <see cref="PipelineSubjects.Egresses"/>.</param>
    internal void OnAnnouncement(ReadOnlySpan<byte> headers)
    {
        if (!PipelineHeader.TryParse(headers, out PipelineHeader header)
            || !PipelineSubjects.IsId(header.Egress, tokens: 1) || header.WindowMessages < 1 || header.WindowBytes < 1)
        {
            return;
        }

        if (_links.TryGet(header.Egress, out IngressLink? link))
        {
            // An announcement is no sign of life: anybody can announce the name of a dead egress.
            if (link.IsPaused || link.Candidate is not null || !link.Queue.IsEmpty)
            {
                // The egress may have been disconnected and may have missed messages.
                Probe(link);
            }

            return;
        }

        byte[] egress = header.Egress.ToArray();
        link = new IngressLink(
            Id, _links.NewNumber(), egress, PipelineSubjects.Bytes(_subjects.Out(Encoding.ASCII.GetString(egress))), _pool, _limits.WindowBytes, _budget);
        link.Open(header.WindowMessages, header.WindowBytes, _limits.Window);
        _links.AddCandidate(link);

        // The egress gets messages only after it has answered the probe. A program that only announces an egress does
        // not receive the probe, so it does not know the number of the link.
        Probe(link);
    }

    /// <summary>
    /// Handles a message from an egress that acknowledges messages, requests a resend, or ends a link.
    /// </summary>
    /// <param name="number">The number of the link, from the subject.</param>
    /// <param name="headers">The headers of the message.</param>
    internal void OnAcknowledgement(long number, ReadOnlySpan<byte> headers)
    {
        if (!PipelineHeader.TryParse(headers, out PipelineHeader header) || header.Acknowledged < 0)
        {
            return;
        }

        if (!_links.TryGet(number, out IngressLink? link))
        {
            if (!header.End && PipelineSubjects.IsId(header.Egress, tokens: 1))
            {
                SendEnd(number, header.Egress);
            }

            return;
        }

        if (!header.Egress.SequenceEqual(link.Egress) || header.Acknowledged > link.HighestSent)
        {
            // The acknowledgement is not from the egress of this link, or it is for messages that were never sent.
            Counters.CountViolation();
            return;
        }

        if (link.Candidate is not null && !_links.TryAdmit(link))
        {
            return;
        }

        link.SilentTicks = 0;
        bool isForgotten = MayBeForgotten(link, header);
        link.UnansweredTicks = 0;
        long messages = link.Acknowledge(header.Acknowledged);
        if (messages > 0)
        {
            Counters.CountAcknowledged(messages);
        }

        if (header.End)
        {
            // The egress ends the link with the exact number of the last message that PUSH took.
            GiveUp(link, perhapsTaken: messages < 0);
        }
        else if (messages < 0 || isForgotten)
        {
            // The egress has lost its state, or it violates the protocol: other egresses now receive the messages that
            // it may still have.
            SendEnd(link.Number, link.Egress);
            GiveUp(link, perhapsTaken: true);
        }
        else
        {
            Resume(link, header);
        }

        Continue();
    }

    /// <summary>Called when a server is connected: at first, and after each loss of a server.</summary>
    internal void OnConnected()
    {
        _isBlocked = false;
        _connection.Publish(_askSubject, _ownHeaders.Begin().Finish(), default);
        foreach (IngressLink link in _links)
        {
            link.SilentTicks = 0;
            link.IsPaused = true;
            Probe(link);
        }

        Continue();
    }

    /// <summary>Called when the connection accepts messages again.</summary>
    internal void OnWritable()
    {
        _isBlocked = false;
        foreach (IngressLink link in _links)
        {
            Pump(link);
        }

        Continue();
    }

    /// <summary>
    /// Must be called at intervals: sends probes and gives up egresses that were silent for too long.
    /// </summary>
    internal void Tick()
    {
        long credit = 0;
        foreach (IngressLink link in _links)
        {
            link.UnansweredTicks++;
            credit += link.IsPaused ? 0 : Math.Max(0, link.Limit - link.Last);
        }

        Volatile.Write(ref _credit, _connection.IsConnected ? credit : 0);

        if (!_connection.IsConnected)
        {
            return;
        }

        _links.RemoveSilentCandidates();
        for (int i = _links.Count - 1; i >= 0; i--)
        {
            IngressLink link = _links[i];
            if (link.SilentTicks >= _limits.MostSilentTicks)
            {
                SendEnd(link.Number, link.Egress);
                GiveUp(link, perhapsTaken: true);
            }
            else if (Probe(link))
            {
                // An egress answers each probe, so a tick is a tick of silence only if a probe was sent.
                link.SilentTicks++;
            }
        }

        // Sends messages again that the connection refused without a later notification.
        OnWritable();
    }

    /// <summary>
    /// Ends all links. Messages that are not acknowledged yet may still be at the egresses; messages that are not there
    /// are lost with this ingress.
    /// </summary>
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

        _orphans.Clear();
        _links.Clear();
    }

    // The egress has answered: sends the messages that it has space for, and again the messages that it lacks.
    private void Resume(IngressLink link, in PipelineHeader header)
    {
        link.IsPaused = false;
        TakeToken(link, header.Token);
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

    // An egress that has lost the state of a link sends the same answer as an egress that has received no message of
    // the link. If the egress was silent for so long that it may have removed the link, PUSH may already have taken the
    // messages.
    private bool MayBeForgotten(IngressLink link, in PipelineHeader header)
        => header is { Acknowledged: 0, Resend: 1 } && link.HighestSent > 0 && link.UnansweredTicks > _limits.RememberedTicks / 2;

    // An egress sends a token if it does not know the link. When the token comes back, the egress gives the link a
    // place.
    private void TakeToken(IngressLink link, ReadOnlySpan<byte> token)
    {
        if (!token.IsEmpty && PipelineSubjects.IsId(token, tokens: 1))
        {
            link.Token = token.ToArray();
            Probe(link);
        }
    }

    private void Continue()
    {
        AdoptOrphans();
        NotifyRoom();
    }

    private bool Probe(IngressLink link)
    {
        HeaderBuilder headers = link.Headers.Begin().Line("Zmq-Last: "u8, link.Sent);
        if (link.Token.Length > 0)
        {
            headers.Line("Zmq-Token: "u8, link.Token);
        }

        return _connection.Publish(link.Subject, headers.Finish(), default) == PublishStatus.Accepted;
    }

    private void SendEnd(long number, ReadOnlySpan<byte> egress)
    {
        string subject = _subjects.Out(Encoding.ASCII.GetString(egress));
        _connection.Publish(
            PipelineSubjects.Bytes(subject), PipelineSubjects.Bytes($"NATS/1.0\r\nZmq-Ingress: {Id}.{number}\r\nZmq-End: 1\r\n\r\n"), default);
    }

    // Removes the link of a lost egress; other egresses receive the messages that it has not acknowledged.
    private void GiveUp(IngressLink link, bool perhapsTaken)
    {
        _links.Remove(link);
        if (!link.Queue.IsEmpty)
        {
            // Adds the messages before all others: the link may have taken over orphaned messages, which are older.
            _orphans.AddFirst(link, perhapsTaken ? link.HighestSent - link.Acknowledged : 0);
        }
    }

    private void AdoptOrphans()
    {
        while (!_isBlocked && _connection.IsConnected
            && _orphans.TryMoveNext(out IngressLink? to, out bool perhapsTaken))
        {
            Counters.CountMoved(perhapsTaken);
            Pump(to);
        }
    }
}

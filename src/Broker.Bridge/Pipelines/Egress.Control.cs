using System.Text;
using Broker.Client;

namespace Broker.Bridge;

// Announcements, acknowledgements and resend requests to ingresses, and the places of their links.
internal sealed partial class Egress<TConnection, TSink>
{
    /// <summary>Starts to take messages: a PULL program is connected.</summary>
    public void Open()
    {
        IsOpen = true;
        Announce();
    }

    /// <summary>
    /// Stops taking messages because no PULL program is connected, and returns the messages that PUSH has not taken, so
    /// that other egresses receive them. Each ingress receives the exact number of the last message that PUSH took.
    /// </summary>
    public void Release()
    {
        IsOpen = false;
        foreach (EgressLink link in _links.All)
        {
            if (!link.IsEnded)
            {
                link.IsEnded = true;
                long taken = link.Taken;
                Discard(link);
                link.Received = taken;
                Answer(link);
            }
        }
    }

    /// <summary>Announces the egress and its window, if it is open.</summary>
    internal void Announce()
    {
        if (IsOpen)
        {
            _connection.Publish(
                _announceSubject, _announcement.Begin().Line("Zmq-Window: "u8, _limits.Window, WindowBytes).Finish(), default);
        }
    }

    /// <summary>Sends the pending acknowledgements.</summary>
    internal void Flush()
    {
        _isFlushWanted = false;
        foreach (EgressLink link in _acknowledgementsDue)
        {
            if (link.IsAckDue)
            {
                link.IsAckDue = false;
                Answer(link);
            }
        }

        _acknowledgementsDue.Clear();
    }

    /// <summary>To be called at intervals: announces the egress and removes links that were silent too long.</summary>
    public void Tick()
    {
        if (_connection.IsConnected)
        {
            // While no server is connected, silence is not counted. If a link were removed, the egress would not know
            // which messages of the link PUSH had taken, and the ingress would send all of them again.
            _links.CountSilence(_expired);
        }

        foreach (EgressLink link in _expired)
        {
            RemoveLink(link);
        }

        _expired.Clear();
        if (!IsOpen && Waiting > 0)
        {
            // Returns messages from ingresses that had not received the earlier release yet.
            Release();
        }

        Announce();
    }

    // A number below the expected number means that the message was already received. A number above it means that an
    // earlier message was lost.
    private void OnUnexpected(EgressLink link, long number)
    {
        if (link.IsEnded)
        {
            return;
        }

        if (number <= link.Received)
        {
            Counters.CountDuplicate();
            return;
        }

        Counters.CountOutOfOrder();
        if (link.RequestedFrom != link.Received + 1)
        {
            RequestResend(link);
        }
    }

    // A probe contains the number of the last message that the ingress has sent before the probe. Messages up to this
    // number that have not arrived are lost.
    private void OnProbe(EgressLink link, long last)
    {
        link.SilentTicks = 0;
        if (last > link.Received && !link.IsEnded)
        {
            RequestResend(link);
        }
        else
        {
            Answer(link);
        }
    }

    private void OnEnd(ReadOnlySpan<byte> ingress)
    {
        if (_links.TryGet(ingress, out EgressLink? link))
        {
            // The ingress sends the unacknowledged messages of this link to another egress.
            Discard(link);
            RemoveLink(link);
        }
    }

    private void RequestResend(EgressLink link)
    {
        link.RequestedFrom = link.Received + 1;
        Send(link, Begin(link).Line("Zmq-Resend: "u8, link.RequestedFrom));
    }

    private void Acknowledge(EgressLink link)
    {
        link.IsAckDue = false;
        Answer(link);
    }

    private void AcknowledgeLater(EgressLink link)
    {
        link.IsAckDue = true;
        _acknowledgementsDue.Add(link);
        if (_acknowledgementsDue.Count > _limits.MostPeers)
        {
            // Some of these links were removed meanwhile. They must not be kept here until the timer comes.
            Flush();
            return;
        }

        if (!_isFlushWanted)
        {
            _isFlushWanted = true;
            OnFlushWanted?.Invoke();
        }
    }

    private void Answer(EgressLink link)
    {
        HeaderBuilder headers = Begin(link);
        Send(link, link.IsEnded ? headers.Line("Zmq-End: "u8, 1) : headers);
    }

    private HeaderBuilder Begin(EgressLink link)
        => link.Headers.Begin().Line("Zmq-Ack: "u8, link.Taken).Line("Zmq-Window: "u8, _limits.Window, WindowBytes);

    private void Send(EgressLink link, HeaderBuilder headers)
    {
        if (_connection.Publish(link.Subject, headers.Finish(), default) == PublishStatus.Accepted)
        {
            link.Acknowledged = link.Taken;
            link.BytesSinceAck = 0;
        }

        // If the message was not accepted, the ingress asks again when a server is connected.
    }

    private EgressLink? FindOrAddLink(in PipelineHeader header)
    {
        if (_links.Find(header) is { } known)
        {
            return known;
        }

        bool isProven = _links.IsProven(header);
        if (!isProven && header.Sequence < 1)
        {
            AnswerStranger(header);
            return null;
        }

        if (!_links.HasPlace(isProven, out EgressLink? silent))
        {
            Counters.CountRefused();
            return null;
        }

        if (silent is not null)
        {
            RemoveLink(silent);
        }

        byte[] name = header.Ingress.ToArray();
        var link = new EgressLink(name, Id, PipelineSubjects.Bytes(_subjects.InPrefix + Encoding.ASCII.GetString(name)), _pool)
        {
            IsProven = isProven,
        };
        _links.Add(link);
        return link;
    }

    // Answers a probe of a link that the egress does not know, as if no message of the link had arrived. The egress
    // keeps no state of the link.
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
        _links.WriteToken(header.Ingress, token);
        HeaderBuilder headers = _strangerHeaders.Begin().Line("Zmq-Ack: "u8, 0)
            .Line("Zmq-Window: "u8, _limits.Window, WindowBytes).Line("Zmq-Token: "u8, token);
        if (header.Last > 0)
        {
            headers.Line("Zmq-Resend: "u8, 1);
        }

        _connection.Publish(subject[..(_inPrefix.Length + header.Ingress.Length)], headers.Finish(), default);
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
        _links.Remove(link);
        link.IsAckDue = false;
        if (_lastLink == link)
        {
            _lastLink = null;
        }
    }
}

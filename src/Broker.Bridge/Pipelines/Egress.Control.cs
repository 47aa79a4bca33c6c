using Broker.Client;

namespace Broker.Bridge;

// Announcements, acknowledgements and resend requests to ingresses.
internal sealed partial class Egress<TWire, TSink>
{
    /// <summary>Starts to take messages: a PULL program is connected.</summary>
    internal void Open()
    {
        IsOpen = true;
        Announce();
    }

    /// <summary>
    /// Stops taking messages because no PULL program is connected, and returns the messages that PUSH has not taken, so
    /// that other egresses receive them. Each ingress receives the exact number of the last message that PUSH took.
    /// </summary>
    internal void Release()
    {
        IsOpen = false;
        foreach (EgressLink pair in _links.Values)
        {
            if (!pair.IsEnded)
            {
                pair.IsEnded = true;
                long taken = pair.Taken;
                Discard(pair);
                pair.Received = taken;
                Answer(pair);
            }
        }

        _waiting.Clear();
    }

    /// <summary>Announces the egress and its window, if it is open.</summary>
    internal void Announce()
    {
        if (IsOpen)
        {
            _wire.Publish(
                _announceSubject, _announcement.Begin().Line("Zmq-Window: "u8, _limits.Window, _limits.WindowBytes).Finish(), default);
        }
    }

    /// <summary>Sends the pending acknowledgements.</summary>
    internal void Flush()
    {
        _isFlushWanted = false;
        foreach (EgressLink pair in _acknowledgementsDue)
        {
            if (pair.IsAckDue)
            {
                pair.IsAckDue = false;
                Answer(pair);
            }
        }

        _acknowledgementsDue.Clear();
    }

    /// <summary>
    /// Must be called at intervals: announces the egress and removes pairs that were silent for too long.
    /// </summary>
    internal void Tick()
    {
        if (_wire.IsConnected)
        {
            CountSilence();
        }

        foreach (EgressLink pair in _expired)
        {
            RemoveLink(pair);
        }

        _expired.Clear();
        if (!IsOpen && Waiting > 0)
        {
            // Returns messages from ingresses that had not received the release yet.
            Release();
        }

        Announce();
    }

    // While no server is connected, silence is not counted, however long that lasts: if a pair were removed, its egress
    // could not tell which messages PUSH had taken, and the ingress would send all of them again.
    private void CountSilence()
    {
        foreach (EgressLink pair in _links.Values)
        {
            // A pair with queued messages stays until PUSH has taken them.
            if (++pair.SilentTicks > _limits.RememberedTicks && pair.Queue.IsEmpty)
            {
                _expired.Add(pair);
            }
        }
    }

    // Removes the pair that has been silent for the longest time and has no queued messages, to make space for another
    // ingress.
    private bool TryRemoveSilent()
    {
        EgressLink? silent = null;
        foreach (EgressLink pair in _links.Values)
        {
            if (pair.SilentTicks > (silent?.SilentTicks ?? _limits.MostSilentTicks) && pair.Queue.IsEmpty)
            {
                silent = pair;
            }
        }

        if (silent is not null)
        {
            RemoveLink(silent);
        }

        return silent is not null;
    }

    // A number before the expected one was already received. A number after it means that a message was lost.
    private void OnUnexpected(EgressLink pair, long number)
    {
        if (pair.IsEnded)
        {
            return;
        }

        if (number <= pair.Received)
        {
            Counters.CountDuplicate();
            return;
        }

        Counters.CountOutOfOrder();
        if (pair.RequestedFrom != pair.Received + 1)
        {
            RequestResend(pair);
        }
    }

    // The ingress sends the number of its last message after this message. Messages up to this number that have not
    // arrived are lost.
    private void OnProbe(EgressLink pair, long last)
    {
        pair.SilentTicks = 0;
        if (last > pair.Received && !pair.IsEnded)
        {
            RequestResend(pair);
        }
        else
        {
            Answer(pair);
        }
    }

    private void OnEnd(ReadOnlySpan<byte> ingress)
    {
        if (_links.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(ingress, out EgressLink? pair))
        {
            // The ingress sends messages to another egress if they were not acknowledged.
            Discard(pair);
            RemoveLink(pair);
        }
    }

    private void Discard(EgressLink pair)
    {
        Counters.CountReleased(pair.Queue.Count);
        _waitingCount -= pair.Queue.Count;
        pair.Queue.Clear();
    }

    private void RemoveLink(EgressLink pair)
    {
        _links.Remove(pair.Ingress);
        pair.IsAckDue = false;
        if (_lastLink == pair)
        {
            _lastLink = null;
        }
    }

    private void RequestResend(EgressLink pair)
    {
        pair.RequestedFrom = pair.Received + 1;
        Send(pair, Begin(pair).Line("Zmq-Resend: "u8, pair.RequestedFrom));
    }

    private void Acknowledge(EgressLink pair)
    {
        pair.IsAckDue = false;
        Answer(pair);
    }

    private void AcknowledgeLater(EgressLink pair)
    {
        pair.IsAckDue = true;
        _acknowledgementsDue.Add(pair);
        if (!_isFlushWanted)
        {
            _isFlushWanted = true;
            OnFlushWanted?.Invoke();
        }
    }

    private void Answer(EgressLink pair)
    {
        HeaderBuilder headers = Begin(pair);
        Send(pair, pair.IsEnded ? headers.Line("Zmq-End: "u8, 1) : headers);
    }

    private HeaderBuilder Begin(EgressLink pair)
        => pair.Headers.Begin().Line("Zmq-Ack: "u8, pair.Taken).Line("Zmq-Window: "u8, _limits.Window, _limits.WindowBytes);

    private void Send(EgressLink pair, HeaderBuilder headers)
    {
        if (_wire.Publish(pair.Subject, headers.Finish(), default) == PublishStatus.Accepted)
        {
            pair.Acknowledged = pair.Taken;
            pair.BytesSinceAck = 0;
        }

        // If the message was not accepted, the ingress asks again when a server is connected.
    }
}

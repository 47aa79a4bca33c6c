using Broker.Client.Publishing;

namespace Broker.Bridge.Pipelines;

// What is said to ingresses, and when.
internal sealed partial class Egress<TWire, TSink>
{
    /// <summary>There is somebody to give messages to: asks for them.</summary>
    internal void Open()
    {
        IsOpen = true;
        Announce();
    }

    /// <summary>
    /// There is nobody to give messages to: asks for no more, and gives back what PUSH has not taken, so that others get it. Each ingress is
    /// told exactly how far PUSH has come.
    /// </summary>
    internal void Release()
    {
        IsOpen = false;
        foreach (EgressPair pair in _pairs.Values)
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

    /// <summary>Says that it wants messages, if it does.</summary>
    internal void Announce()
    {
        if (IsOpen)
        {
            _wire.Publish(
                _announceSubject, _announcement.Begin().Line("Zmq-Window: "u8, _limits.Window, _limits.WindowBytes).Finish(), default);
        }
    }

    /// <summary>Sends the acknowledgements that are due.</summary>
    internal void Flush()
    {
        _isFlushWanted = false;
        foreach (EgressPair pair in _due)
        {
            if (pair.IsAckDue)
            {
                pair.IsAckDue = false;
                Answer(pair);
            }
        }

        _due.Clear();
    }

    /// <summary>To be called at intervals: announces itself, and forgets who is gone.</summary>
    internal void Tick()
    {
        if (_wire.IsConnected)
        {
            CountSilence();
        }

        foreach (EgressPair pair in _gone)
        {
            Forget(pair);
        }

        _gone.Clear();
        if (!IsOpen && Waiting > 0)
        {
            // From who had not heard yet that nothing is wanted.
            Release();
        }

        Announce();
    }

    // Without a server nobody can be heard, however long that lasts: who is forgotten for it has no answer to what was taken before, and sends
    // all of it again.
    private void CountSilence()
    {
        foreach (EgressPair pair in _pairs.Values)
        {
            // A pair with messages stays until these have gone to PUSH.
            if (++pair.Silence > _limits.RememberedTicks && pair.Queue.IsEmpty)
            {
                _gone.Add(pair);
            }
        }
    }

    // Makes room for another ingress in the place of one that has not been heard of for long and left nothing.
    private bool ForgetSilent()
    {
        EgressPair? silent = null;
        foreach (EgressPair pair in _pairs.Values)
        {
            if (pair.Silence > (silent?.Silence ?? _limits.MostSilentTicks) && pair.Queue.IsEmpty)
            {
                silent = pair;
            }
        }

        if (silent is not null)
        {
            Forget(silent);
        }

        return silent is not null;
    }

    // A number before the one that is expected has come already; one behind it says that something was lost.
    private void OnUnexpected(EgressPair pair, long number)
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
        if (pair.Asked != pair.Received + 1)
        {
            AskAgain(pair);
        }
    }

    // The ingress says what it has sent, behind that: what has not come by now is lost.
    private void OnProbe(EgressPair pair, long last)
    {
        pair.Silence = 0;
        if (last > pair.Received && !pair.IsEnded)
        {
            AskAgain(pair);
        }
        else
        {
            Answer(pair);
        }
    }

    private void OnEnd(ReadOnlySpan<byte> ingress)
    {
        if (_pairs.GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(ingress, out EgressPair? pair))
        {
            // What it has not heard to be taken it gives to others.
            Discard(pair);
            Forget(pair);
        }
    }

    private void Discard(EgressPair pair)
    {
        Counters.CountReleased(pair.Queue.Count);
        _waitingCount -= pair.Queue.Count;
        pair.Queue.Clear();
    }

    private void Forget(EgressPair pair)
    {
        _pairs.Remove(pair.Ingress);
        pair.IsAckDue = false;
        if (_lastPair == pair)
        {
            _lastPair = null;
        }
    }

    private void AskAgain(EgressPair pair)
    {
        pair.Asked = pair.Received + 1;
        Send(pair, Begin(pair).Line("Zmq-Resend: "u8, pair.Asked));
    }

    private void Acknowledge(EgressPair pair)
    {
        pair.IsAckDue = false;
        Answer(pair);
    }

    private void AcknowledgeLater(EgressPair pair)
    {
        pair.IsAckDue = true;
        _due.Add(pair);
        if (!_isFlushWanted)
        {
            _isFlushWanted = true;
            OnFlushWanted?.Invoke();
        }
    }

    private void Answer(EgressPair pair)
    {
        HeaderBuilder headers = Begin(pair);
        Send(pair, pair.IsEnded ? headers.Line("Zmq-End: "u8, 1) : headers);
    }

    private HeaderBuilder Begin(EgressPair pair)
        => pair.Headers.Begin().Line("Zmq-Ack: "u8, pair.Taken).Line("Zmq-Window: "u8, _limits.Window, _limits.WindowBytes);

    private void Send(EgressPair pair, HeaderBuilder headers)
    {
        if (_wire.Publish(pair.Subject, headers.Finish(), default) == PublishStatus.Accepted)
        {
            pair.Acknowledged = pair.Taken;
            pair.BytesSinceAck = 0;
        }

        // Otherwise the ingress asks when there is a server again.
    }
}

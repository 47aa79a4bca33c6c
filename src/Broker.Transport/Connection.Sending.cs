using Broker.Transport.Buffers;
using Broker.Transport.Tls;

namespace Broker.Transport;

// Sending what is queued: who has the right to, what the transport takes, and going on when the peer takes bytes again.
public abstract partial class Connection
{
    /// <summary>The peer takes bytes again. On the loop.</summary>
    internal void OnWritable()
    {
        lock (_gate)
        {
            if (_sending)
            {
                // The sender may have been told otherwise just before, and be about to say so.
                _writableMissed = true;
                return;
            }

            _blocked = false;
            if (_retired)
            {
                return;
            }

            _sending = true;
        }

        SendQueue(Loop);
        lock (_gate)
        {
            if (_blocked || !_armed || _retired)
            {
                return;
            }

            _armed = false;
            DisarmWritable();
        }
    }

    /// <summary>
    /// For transports that wait by sending: takes the right to send and gives the first waiting block. Empty when there is
    /// nothing to wait for. On the loop; <see cref="EndWaitingSend"/> must follow, on the loop.
    /// </summary>
    private protected ReadOnlyMemory<byte> BeginWaitingSend()
    {
        lock (_gate)
        {
            Block? head = _retired || _sending ? null : _tls is null ? _queueHead : _tls.Collect();
            if (head is null)
            {
                _armed = false;
                return default;
            }

            _sending = _sendWaits = true;
            return head.Array.AsMemory(head.Start, Math.Min(head.Length, MostToWaitWith));
        }
    }

    private protected void EndWaitingSend(int gone, bool failed)
    {
        lock (_gate)
        {
            _armed = false;
            _blocked = failed;
            _sendWaits = false;
            _sendFailed |= failed;
            if (_tls is not null)
            {
                // It was ciphertext, or what the start of TLS has counted as sent.
                _tls.Collect();
                _tls.ConsumeWire(gone, Loop);
            }
            else
            {
                _pendingBytes -= gone;
                _sentBytes += gone;
                _queueHead = _queueHead is null ? null : Consume(_queueHead, gone, Loop);
                _queueTail = _queueHead is null ? null : _queueTail;
            }

            if (failed || _retired)
            {
                _sending = false;
            }
        }

        if (IsClosed)
        {
            DropQueue();
        }
        else if (failed)
        {
            EndAfterFailedSend();
        }
        else
        {
            SendQueue(Loop);
        }
    }

    // Posted, never called from where bytes are handed over: that may be in the middle of a handler.
    private void NotifyDrained()
    {
        if (!IsOpen)
        {
            return;
        }

        try
        {
            Handler.OnDrained(this);
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            CloseOnLoop(CloseReason.Error, e, TimeSpan.Zero);
        }
    }

    // Entered with _sending set by the caller, who has thereby the right to send.
    private void SendQueue(EventLoop? loop)
    {
        while (true)
        {
            Block? chain = null;
            Block? chainTail = null;
            TlsLayer? tls;
            lock (_gate)
            {
                tls = _tls;
                if (_retired || !(tls is null ? _queueHead is not null : tls.HasWork(_queueHead)))
                {
                    EndSending(blocked: false);
                    break;
                }

                if (tls is null || tls.IsSecured)
                {
                    chain = _queueHead;
                    chainTail = _queueTail;
                    _queueHead = _queueTail = null;
                }
            }

            Block? rest = tls is null
                ? Send(chain!, loop, out long sent, out SendOutcome outcome)
                : tls.Send(chain, loop, out sent, out outcome);
            lock (_gate)
            {
                _pendingBytes -= sent;
                _sentBytes += sent;
                PutBack(rest, chainTail, tls);
                if (outcome == SendOutcome.Sent && !_retired)
                {
                    continue;
                }

                if (outcome == SendOutcome.Blocked && !_retired)
                {
                    HoldUp();
                }

                // After a failure too: nobody needs to try again.
                _sendFailed |= outcome == SendOutcome.Failed;
                EndSending(blocked: outcome != SendOutcome.Sent);
            }

            if (outcome == SendOutcome.Failed)
            {
                Loop.Post(EndAfterFailedSend);
            }

            break;
        }

        if (IsLingering)
        {
            Loop.Run(AdvanceLinger);
        }
    }

    // Under _gate. sentBy: the layer that was there when the chain was taken.
    private void PutBack(Block? rest, Block? chainTail, TlsLayer? sentBy)
    {
        if (rest is null)
        {
            return;
        }

        if (sentBy is null && _tls is not null)
        {
            // TLS was started meanwhile: behind all this.
            long clear = LengthOf(rest);
            _pendingBytes -= clear;
            _sentBytes += clear;
            _tls.Prepend(rest, chainTail!);
            return;
        }

        chainTail!.Next = _queueHead;
        _queueTail ??= chainTail;
        _queueHead = rest;
    }

    // Under _gate, which also orders arming and disarming between loops.
    private void HoldUp()
    {
        CheckOverflow();
        _heldUp = true;
        WatchDeadline();
        if (!_armed)
        {
            _armed = true;
            ArmWritable();
        }
    }

    /// <summary>For transports that could not be asked before they received: asks again. On the loop.</summary>
    private protected void RepeatArmWritable()
    {
        lock (_gate)
        {
            if (_armed)
            {
                ArmWritable();
            }
        }
    }

    private void CheckOverflow()
    {
        if (_pendingBytes > MaxPendingBytes && !_overflowed)
        {
            _overflowed = true;
            Loop.PostClose(this, CloseReason.SlowConsumer);
        }
    }

    // Under _gate.
    private void EndSending(bool blocked)
    {
        _blocked = blocked;
        Volatile.Write(ref _sending, false);
        if (_retired)
        {
            return;
        }

        if (_writableMissed)
        {
            _writableMissed = false;
            Loop.Post(_postedWritable);
        }

        if (_heldUp && _queueHead is null && _tls is not { HasWire: true })
        {
            _heldUp = false;
            Loop.Post(_postedDrained);
        }
    }
}

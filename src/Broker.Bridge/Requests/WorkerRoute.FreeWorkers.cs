using Broker.ZeroMq;
using Broker.ZeroMq.Loops;

namespace Broker.Bridge;

// Workers that handle one request at a time: behind a broker (Empty), or with REQ sockets (Ready). The requests wait in
// the route until a worker is free.
internal sealed partial class WorkerRoute
{
    /// <summary>The requests that wait for a free worker; null if workers take many requests at a time.</summary>
    private readonly WaitingRequests? _waiting;

    private bool HasCapacity
        => _waiting is null || Pending.Count < (long)_socket.PeerCount * _options.MaxPendingPerWorker;

    private bool TrySendOrKeep<TMessage>(int slot, ref TMessage request)
        where TMessage : struct, IZmtpEncoder, allows ref struct
    {
        // A new request must not overtake those that wait.
        if ((_waiting is null || !_waiting.TryPeek(out _)) && _socket.SendToNext(ref request) is { } worker)
        {
            Assign(slot, worker);
            return true;
        }

        if (_waiting is null)
        {
            return false;
        }

        Span<byte> kept = _waiting.Add(slot, request.EncodedSize);
        if (kept.IsEmpty)
        {
            return false;
        }

        request.Encode(kept);
        return true;
    }

    private void Assign(int slot, BalancedPeer worker)
    {
        Pending[slot].Owner = worker;
        worker.Tag = Pending.NumberOf(slot);
        Counters.ToZeroMq++;
    }

    private void OnWorkerWritable()
    {
        ServeWaiting();
        SubscribeIfRoom();
    }

    // Sends waiting requests to free workers.
    private void ServeWaiting()
    {
        while (_waiting is not null && _waiting.TryPeek(out int slot))
        {
            var request = new KeptMessage(Pending[slot].Kept.AsSpan(0, Pending[slot].KeptLength));
            if (_socket.SendToNext(ref request) is not { } worker)
            {
                return;
            }

            _waiting.Take();
            Assign(slot, worker);
        }
    }

    // The last worker is lost. No worker has seen the waiting requests.
    private void ReturnWaiting()
    {
        while (_waiting is not null && _waiting.TryPeek(out int slot))
        {
            _waiting.Take();
            RespondNoResponders(Pending[slot].ReplyTargetSpan);
            Release(slot);
        }
    }

    private bool OnMessageOfFreeWorker(ZeroMqPeer peer, in ZmtpMessage message)
    {
        if ((peer.UserState ??= _socket.Find(peer)) is not BalancedPeer worker)
        {
            return true;
        }

        if (!message.FirstFrame.Body.IsEmpty || message.FrameCount < 2)
        {
            Counters.FromZeroMq++;
            RefuseReply();
            return true;
        }

        return _options.Envelope == WorkerEnvelope.Empty ? OnNextReply(worker, message) : OnCall(worker, message);
    }

    private bool OnNextReply(BalancedPeer worker, in ZmtpMessage message)
    {
        int slot = Pending.Find(worker.Tag);
        if (slot < 0 || Pending[slot].Owner != worker)
        {
            Counters.FromZeroMq++;
            Counters.Late++;
            return true;
        }

        if (!TryAnswer(slot, message.Skip(1)))
        {
            return false;
        }

        ServeWaiting();
        return true;
    }

    // A worker calls for a request, with a reply to the one before or without.
    private bool OnCall(BalancedPeer worker, in ZmtpMessage message)
    {
        if (RequestNumber.TryReadText(message, out ulong number))
        {
            int slot = Pending.Find(number);
            if (slot < 0 || Pending[slot].Owner != worker)
            {
                Counters.FromZeroMq++;
                Counters.Late++;
            }
            else if (!TryAnswer(slot, message.Skip(3)))
            {
                return false;
            }
        }
        else
        {
            Counters.FromZeroMq++;
            int slot = Pending.Find(worker.Tag);
            if (slot >= 0 && Pending[slot].Owner == worker)
            {
                // A REQ socket sends again only when it is done with its request.
                RefuseReply();
                Release(slot);
            }
        }

        worker.MarkReady();
        ServeWaiting();
        return true;
    }
}

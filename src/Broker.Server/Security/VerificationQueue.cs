using System.Net;
using System.Net.Sockets;

namespace Broker.Server;

/// <summary>
/// Runs verifications on thread-pool threads, a limited number at a time. It serves the client addresses in turn, so
/// many logins from one address delay another address by one verification only. Thread-safe.
/// </summary>
internal sealed class VerificationQueue(int concurrency)
{
    internal const int MaxPerOrigin = 256;
    internal const int MaxInAll = 4096;

    // IPv6 addresses with the same first 8 bytes count as one origin, because they usually belong to one customer of a
    // network provider.
    private const int NetworkBytes = 8;

    private static readonly IPAddress Local = IPAddress.Loopback;

    private readonly Lock _gate = new();
    private readonly Dictionary<IPAddress, Queue<Verification>> _waiting = [];
    private readonly Queue<IPAddress> _turns = new();
    private int _count;
    private int _running;

    /// <summary>Adds a verification. Returns false if too many verifications are waiting.</summary>
    internal bool TryEnqueue(EndPoint? from, Verification verification)
    {
        IPAddress origin = Origin(from);
        lock (_gate)
        {
            if (!_waiting.TryGetValue(origin, out Queue<Verification>? queue))
            {
                queue = new Queue<Verification>();
            }

            if (queue.Count >= MaxPerOrigin || _count >= MaxInAll)
            {
                Sweep(queue);
                if (queue.Count >= MaxPerOrigin || _count >= MaxInAll)
                {
                    return false;
                }
            }

            if (queue.Count == 0 && _waiting.TryAdd(origin, queue))
            {
                _turns.Enqueue(origin);
            }

            queue.Enqueue(verification);
            _count++;
            if (_running == concurrency)
            {
                return true;
            }

            _running++;
        }

        ThreadPool.UnsafeQueueUserWorkItem(static queue => queue.Work(), this, preferLocal: false);
        return true;
    }

    private void Work()
    {
        while (Next() is { } verification)
        {
            verification.Run();
        }
    }

    private Verification? Next()
    {
        lock (_gate)
        {
            while (_turns.TryDequeue(out IPAddress? origin))
            {
                Queue<Verification> queue = _waiting[origin];
                Verification? next = null;
                while (next is null && queue.TryDequeue(out Verification? first))
                {
                    _count--;
                    next = first.IsAbandoned ? null : first;
                }

                if (queue.Count == 0)
                {
                    _waiting.Remove(origin);
                }
                else
                {
                    _turns.Enqueue(origin);
                }

                if (next is not null)
                {
                    return next;
                }
            }

            _running--;
            return null;
        }
    }

    // Removes the verifications of clients that have disconnected.
    private void Sweep(Queue<Verification> queue)
    {
        for (int left = queue.Count; left > 0; left--)
        {
            Verification verification = queue.Dequeue();
            if (verification.IsAbandoned)
            {
                _count--;
            }
            else
            {
                queue.Enqueue(verification);
            }
        }
    }

    private static IPAddress Origin(EndPoint? from)
    {
        if (from is not IPEndPoint { Address: { } address })
        {
            return Local;
        }

        if (address.AddressFamily != AddressFamily.InterNetworkV6)
        {
            return address;
        }

        if (address.IsIPv4MappedToIPv6)
        {
            return address.MapToIPv4();
        }

        byte[] bytes = address.GetAddressBytes();
        bytes.AsSpan(NetworkBytes).Clear();
        return new IPAddress(bytes);
    }
}

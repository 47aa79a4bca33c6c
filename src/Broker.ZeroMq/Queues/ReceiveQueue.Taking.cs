using System.Runtime.CompilerServices;

namespace Broker.ZeroMq;

// This part is used by the receiving threads.
internal sealed partial class ReceiveQueue
{
    /// <summary>The calls that wait for a message.</summary>
    internal WaitList Waiters { get; } = new();

    /// <summary>
    /// Offers the next message to <paramref name="reader"/>. Any thread may call this method; it never waits for a
    /// message.
    /// </summary>
    // The method is optimized before its first call, as SendQueue.TryAdd is.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal DequeueResult Dequeue<TReader>(ref TReader reader)
        where TReader : struct, IMessageReader, allows ref struct
    {
        BiasedGate.Bias? bias = _receivers.Enter();
        ReceiveSource? source = _hasArrivals || _isClosed ? Collect() : _current;
        if (source is null)
        {
            _receivers.Exit(bias);
            return _isClosed ? DequeueResult.Closed : DequeueResult.Empty;
        }

        if (_conflates)
        {
            TakeNewest(source);
        }

        MessageChunk chunk = source.Taken;
        ReadOnlySpan<byte> unread = chunk.Unread;
        int size = EncodedMessage.Measure(unread);
        bool taken;
        try
        {
            taken = reader.TryRead(unread[..size], source);
        }
        catch
        {
            // The likely cause is a lack of memory. Leave the gate, so that other receivers can continue.
            _receivers.Exit(bias);
            throw;
        }

        ReceiveSource? resumed = null;
        if (taken)
        {
            chunk.Position += size;
            if (size == unread.Length)
            {
                resumed = Exhaust(source, chunk);
            }
            else
            {
                _current = source.Following;
            }
        }

        bool leftSome = _current is not null;
        _receivers.Exit(bias);
        if (resumed is not null)
        {
            Resume(resumed);
        }

        if (leftSome && !Waiters.IsEmpty)
        {
            Waiters.WakeOne();
        }

        return taken ? DequeueResult.Taken : DequeueResult.Refused;
    }

    /// <summary>Drops the queued messages and all later messages, and ends all waits.</summary>
    internal void Close()
    {
        BiasedGate.Bias? bias = _receivers.Enter();
        lock (_gate)
        {
            _isClosed = true;
            _paused.Clear();
            AcceptArrivals();
            while (_current is { } source)
            {
                Recycle(source.Taken);
                for (MessageChunk? chunk = source.First; chunk is not null;)
                {
                    MessageChunk? next = chunk.Next;
                    Recycle(chunk);
                    chunk = next;
                }

                source.First = source.Last = null;
                Remove(source);
            }
        }

        _receivers.Exit(bias);
        Waiters.WakeAll();
        Volatile.Read(ref _added)?.Invoke();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ReceiveSource? Collect()
    {
        if (_hasArrivals)
        {
            lock (_gate)
            {
                AcceptArrivals();
            }
        }

        return _current;
    }

    // Called while the thread holds _receivers and _gate. New sources join at the end of the ring.
    private void AcceptArrivals()
    {
        for (ReceiveSource? source = _firstArrival; source is not null;)
        {
            ReceiveSource? next = source.NextArrival;
            source.NextArrival = null;
            TakeFirst(source);
            if (_current is null)
            {
                source.Following = source.Preceding = source;
                _current = source;
            }
            else
            {
                source.Following = _current;
                source.Preceding = _current.Preceding;
                source.Preceding.Following = source;
                _current.Preceding = source;
            }

            source = next;
        }

        _firstArrival = _lastArrival = null;
        _hasArrivals = false;
    }

    // Called while the thread holds _receivers. Returns a paused source that has room again, or null. The caller
    // resumes this source and then asks for the next one.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private ReceiveSource? Exhaust(ReceiveSource source, MessageChunk chunk)
    {
        lock (_gate)
        {
            source.Messages -= chunk.Messages;
            Recycle(chunk);
            if (source.First is null)
            {
                Remove(source);
            }
            else
            {
                TakeFirst(source);
                _current = source.Following;
            }

            return _paused.Count == 0 ? null : NextWithRoom();
        }
    }

    // Called while the thread holds _gate.
    private ReceiveSource? NextWithRoom()
    {
        if (_bytes > MostBytes / 2)
        {
            return null;
        }

        for (int i = 0; i < _paused.Count; i++)
        {
            ReceiveSource source = _paused[i];
            if (source.Messages <= _mostMessages / 2)
            {
                source.IsPaused = false;
                _paused.RemoveAt(i);
                return source;
            }
        }

        return null;
    }

    private void Resume(ReceiveSource? source)
    {
        while (source is not null)
        {
            source.Resume();
            lock (_gate)
            {
                source = NextWithRoom();
            }
        }
    }

    // Called while the thread holds _receivers. If newer messages have arrived, drops the receivers' chunk and takes
    // the next chunk.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void TakeNewest(ReceiveSource source)
    {
        lock (_gate)
        {
            if (source.First is not null)
            {
                source.Messages -= source.Taken.Messages;
                Recycle(source.Taken);
                TakeFirst(source);
            }
        }
    }

    // Called while the thread holds _gate. Drops all messages of the source except those in the receivers' chunk.
    private void DropWaiting(ReceiveSource source)
    {
        while (source.First is { } chunk)
        {
            source.First = chunk.Next;
            source.Messages -= chunk.Messages;
            Recycle(chunk);
        }

        source.Last = null;
    }

    private static void TakeFirst(ReceiveSource source)
    {
        MessageChunk chunk = source.First!;
        source.Taken = chunk;
        source.First = chunk.Next;
        if (source.First is null)
        {
            source.Last = null;
        }
    }

    private void Remove(ReceiveSource source)
    {
        _current = source.Following == source ? null : source.Following;
        source.Preceding.Following = source.Following;
        source.Following.Preceding = source.Preceding;
        source.Following = source.Preceding = null!;
        source.Taken = null!;
        source.IsListed = false;
    }

    private void Recycle(MessageChunk chunk)
    {
        _bytes -= chunk.Array.Length;
        _pool.Give(chunk);
    }
}

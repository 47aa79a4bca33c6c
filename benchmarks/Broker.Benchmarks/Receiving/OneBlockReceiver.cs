using Broker.Protocol;

namespace Broker.Benchmarks.Receiving;

/// <summary>
/// Uses one reusable block for a message, with its bytes and the link to the next block. The deliverer returns a chain
/// of blocks at a time, and the reader takes the whole chain when it has no more blocks.
/// </summary>
internal sealed class OneBlockReceiver : StagedReceiver
{
    private const int Chain = 64;

    // There are more blocks than messages in flight, so that no block is created during the measurement.
    private const int Blocks = 4096;
    private const int Size = 256;

    private readonly object _subscription = new();
    private readonly Lock _pool = new();
    private Block? _first;
    private Block? _last;
    private bool _waits;

    private Block? _readers;
    private Block? _returned;
    private Block? _used;
    private int _usedCount;

    internal OneBlockReceiver()
    {
        for (int i = 0; i < Blocks; i++)
        {
            _readers = new Block { Next = _readers };
        }
    }

    protected override void OnMessage(in MessageOperation operation)
    {
        Block block = Rent();
        block.SubjectLength = operation.Subject.Length;
        block.BodyLength = operation.Payload.Length;
        operation.Subject.CopyTo(block.Bytes);
        operation.Payload.CopyTo(block.Bytes.AsSpan(block.SubjectLength));
        lock (_subscription)
        {
            if (_last is null)
            {
                _first = block;
            }
            else
            {
                _last.Next = block;
            }

            _last = block;
            if (_waits)
            {
                Monitor.Pulse(_subscription);
            }
        }
    }

    protected override bool DeliverOne(Tally tally)
    {
        Block block;
        lock (_subscription)
        {
            while (_first is null)
            {
                if (Ended)
                {
                    return false;
                }

                _waits = true;
                Monitor.Wait(_subscription);
                _waits = false;
            }

            block = _first;
            _first = block.Next;
            if (_first is null)
            {
                _last = null;
            }
        }

        tally.Take(block.Bytes.AsSpan(block.SubjectLength, block.BodyLength));
        Return(block);
        return true;
    }

    protected override void WakeDeliverer()
    {
        lock (_subscription)
        {
            Monitor.Pulse(_subscription);
        }
    }

    // Runs on the reader.
    private Block Rent()
    {
        if (_readers is null)
        {
            lock (_pool)
            {
                (_readers, _returned) = (_returned, null);
            }
        }

        Block block = _readers ?? new Block();
        _readers = block.Next;
        block.Next = null;
        return block;
    }

    // Runs on the deliverer.
    private void Return(Block block)
    {
        block.Next = _used;
        _used = block;
        if (++_usedCount < Chain)
        {
            return;
        }

        Block end = _used;
        while (end.Next is not null)
        {
            end = end.Next;
        }

        lock (_pool)
        {
            end.Next = _returned;
            _returned = _used;
        }

        _used = null;
        _usedCount = 0;
    }

    private sealed class Block
    {
        internal byte[] Bytes { get; } = new byte[Size];

        internal Block? Next { get; set; }

        internal int SubjectLength { get; set; }

        internal int BodyLength { get; set; }
    }
}

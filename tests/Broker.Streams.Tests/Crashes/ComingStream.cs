using System.Globalization;
using System.Text;

namespace Broker.Streams.Tests.Crashes;

/// <summary>A stream that is created and deleted again and again. Each life of it has a number.</summary>
internal sealed class ComingStream : IStoreCompletion
{
    private const string Name = "coming";
    private const long Create = -1;
    private const long Delete = -2;

    private readonly HashSet<ulong> _acknowledged = [];
    private int _life;
    private bool _isCreating;
    private bool _isCreated;
    private bool _isDeleting;
    private bool _isDeleted = true;

    public void OnStored(long token, ulong sequence, StoreOutcome outcome)
    {
        Assert.Equal(StoreOutcome.Stored, outcome);
        switch (token)
        {
            case Create:
                (_isCreated, _isCreating) = (true, false);
                break;
            case Delete:
                _isDeleted = true;
                break;
            default:
                _acknowledged.Add(sequence);
                break;
        }
    }

    /// <summary>Queues the creation, the deletion or a message of the stream. Returns what was queued.</summary>
    public string? Queue(StreamStore store, Random random)
    {
        if (store.Find(Name) is not { } stream)
        {
            return !_isCreating && Begin(store) ? "stream created" : null;
        }

        using StoreBatch batch = store.Begin();
        if (random.Next(3) == 0 && batch.DeleteStream(stream, this, Delete) == QueueStatus.Queued)
        {
            _isDeleting = true;
            return "stream deleted";
        }

        return batch.Append(stream, "s"u8, [], BytesOf(_life), this, 0) == QueueStatus.Queued ? "message" : null;
    }

    /// <summary>Compares what a start has found.</summary>
    public void Check(StreamStore store)
    {
        _isCreating = false;
        if (store.Find(Name) is not { } stream)
        {
            Assert.True(!_isCreated || _isDeleting || _isDeleted, $"Life {_life} of the stream is missing.");
            _isDeleted = true;
            return;
        }

        Assert.False(_isDeleted && _isCreated, $"Life {_life} of the stream was deleted.");
        Assert.Equal(BytesOf(_life), stream.Configuration);
        var found = new HashSet<ulong>();
        var buffer = new MessageBuffer();
        for (ulong next = 0; store.ReadNext(stream, next, buffer) == ReadStatus.Found; next = buffer.Sequence + 1)
        {
            Assert.Equal(BytesOf(_life), buffer.Body);
            found.Add(buffer.Sequence);
        }

        Assert.Subset(found, _acknowledged);
        (_isCreated, _isDeleting, _isDeleted) = (true, false, false);
    }

    private bool Begin(StreamStore store)
    {
        if (store.Create(Name, default, BytesOf(_life + 1), this, Create) != QueueStatus.Queued)
        {
            return false;
        }

        _life++;
        _acknowledged.Clear();
        (_isCreating, _isCreated, _isDeleting, _isDeleted) = (true, false, false, false);
        return true;
    }

    private static byte[] BytesOf(int life) => Encoding.UTF8.GetBytes(life.ToString(CultureInfo.InvariantCulture));
}

namespace Broker.Cli.Bench;

/// <summary>Counts the messages of one connection. One thread at a time counts; any thread reads.</summary>
internal sealed class BenchCounter
{
    private long _messages;
    private long _bytes;

    public long Messages => Volatile.Read(ref _messages);

    public long Bytes => Volatile.Read(ref _bytes);

    public void Count(int bytes) => Count(1, bytes);

    public void Count(long messages, long bytes)
    {
        Volatile.Write(ref _messages, _messages + messages);
        Volatile.Write(ref _bytes, _bytes + bytes);
    }

    /// <summary>Counts on several threads.</summary>
    public void CountShared(int bytes)
    {
        Interlocked.Increment(ref _messages);
        Interlocked.Add(ref _bytes, bytes);
    }
}

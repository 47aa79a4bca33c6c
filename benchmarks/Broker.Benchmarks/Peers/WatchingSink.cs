using System.Diagnostics;
using System.Net.Sockets;

namespace Broker.Benchmarks.Peers;

/// <summary>Polls its one client without a pause, so that it sees arriving bytes at once, and counts them.</summary>
internal sealed class WatchingSink : NatsEnd
{
    private readonly AutoResetEvent _reached = new(false);
    private volatile bool _ended;
    private long _bytes;
    private long _awaited = long.MaxValue;
    private long _reachedAt;

    internal WatchingSink() => Start();

    /// <summary>Sets the number of bytes to wait for, counted from now.</summary>
    internal void Expect(long more) => Volatile.Write(ref _awaited, Volatile.Read(ref _bytes) + more);

    /// <summary>
    /// Waits for these bytes. Returns the time stamp of the last one, as from <see cref="Stopwatch"/>.
    /// </summary>
    internal long Wait()
    {
        _reached.WaitOne();
        return Volatile.Read(ref _reachedAt);
    }

    public override void Dispose()
    {
        _ended = true;
        base.Dispose();
        _reached.Dispose();
    }

    protected override bool IsReady(bool connected, bool subscribed) => connected;

    protected override void Run()
    {
        Client.Blocking = false;
        byte[] buffer = new byte[256 * 1024];
        while (!_ended)
        {
            int got = Client.Receive(buffer, 0, buffer.Length, SocketFlags.None, out SocketError error);
            if (error == SocketError.WouldBlock)
            {
                continue;
            }

            if (got <= 0)
            {
                return;
            }

            long now = Stopwatch.GetTimestamp();
            long bytes = _bytes + got;
            Volatile.Write(ref _bytes, bytes);
            if (bytes >= Volatile.Read(ref _awaited))
            {
                Volatile.Write(ref _awaited, long.MaxValue);
                Volatile.Write(ref _reachedAt, now);
                _reached.Set();
            }
        }
    }
}

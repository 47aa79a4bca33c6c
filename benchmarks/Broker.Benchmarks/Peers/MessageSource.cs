using System.Text;

namespace Broker.Benchmarks.Peers;

/// <summary>
/// Sends prepared messages to its one client, many at a time, as fast as the client takes them, so that the source is
/// not the bottleneck of a measured receiver. It is never further ahead than a window, so that the number of waiting
/// messages, and the memory, do not depend on the scheduler.
/// </summary>
internal sealed class MessageSource : NatsEnd
{
    /// <summary>
    /// The number of unreceived messages at which the source waits; one more chunk may follow. All of them fit into the
    /// memory that a queue of this project keeps permanently, so that none of it is released and taken again.
    /// </summary>
    internal const int Window = 3 * Chunk;

    private const int Chunk = 250;

    private readonly bool _varied;
    private readonly int _window;
    private readonly SemaphoreSlim _go = new(0);
    private readonly Func<long> _taken;
    // The chunks alternate, so that few are in memory and yet many differ.
    private readonly byte[][] _chunks = new byte[2][];
    private readonly ulong[] _sums = new ulong[2];
    private long _sent;
    private long _target;
    private volatile bool _ends;

    /// <param name="varied">Whether subjects and sizes differ between messages.</param>
    /// <param name="taken">The number of messages that the receiver has received. Any thread may call it.</param>
    /// <param name="window">The most messages that may be unreceived.</param>
    internal MessageSource(bool varied, Func<long> taken, int window = Window)
    {
        _varied = varied;
        _window = window;
        _taken = taken;
        Start();
    }

    /// <summary>The filter that the client subscribes to, with the terminating zero of C.</summary>
    internal ReadOnlySpan<byte> Filter => _varied ? "foo.>\0"u8 : "foo\0"u8;

    /// <summary>
    /// Returns the sum that the receiver must have after this number of messages, which must be a multiple of the chunk
    /// size.
    /// </summary>
    internal ulong SumOf(long messages)
    {
        ulong chunks = (ulong)(messages / Chunk);
        return (chunks / 2 * (_sums[0] + _sums[1])) + (chunks % 2 * _sums[0]);
    }

    /// <summary>
    /// Returns the contribution of a message to the sum. It is cheap, and different for different bodies.
    /// </summary>
    internal static ulong Weigh(ReadOnlySpan<byte> body) => (ulong)body.Length + (body.IsEmpty ? 0 : (ulong)(body[0] + body[^1]));

    /// <summary>Lets the source send more messages. Returns the total number of messages.</summary>
    internal long Send(int messages)
    {
        Ready.Wait();
        long target = Interlocked.Add(ref _target, messages);
        _go.Release();
        return target;
    }

    protected override bool IsReady(bool connected, bool subscribed) => connected && subscribed;

    protected override void Run()
    {
        MakeChunks();
        while (true)
        {
            _go.Wait();
            for (; _sent < Volatile.Read(ref _target); _sent += Chunk)
            {
                var wait = default(SpinWait);
                // The receiver may be disposed at the end, so it is not called anymore.
                while (!_ends && _sent - _taken() >= _window)
                {
                    wait.SpinOnce(sleep1Threshold: -1);
                }

                if (_ends)
                {
                    return;
                }

                byte[] chunk = _chunks[_sent / Chunk % 2];
                for (int at = 0; at < chunk.Length;)
                {
                    at += Client.Send(chunk.AsSpan(at));
                }
            }
        }
    }

    public override void Dispose()
    {
        // The thread may wait for more to send, for its client, or for the receiver.
        _ends = true;
        Client?.Dispose();
        Interlocked.Add(ref _target, Chunk);
        _go.Release();
        base.Dispose();
        _go.Dispose();
    }

    private void MakeChunks()
    {
        var random = new Random(1);
        for (int i = 0; i < _chunks.Length; i++)
        {
            var text = new StringBuilder();
            for (int n = 0; n < Chunk; n++)
            {
                string body = _varied ? new string((char)('a' + random.Next(26)), random.Next(1, 65)) : "test";
                string subject = _varied ? $"foo.{new string('x', random.Next(1, 12))}.{random.Next(1000)}" : "foo";
                text.Append(System.Globalization.CultureInfo.InvariantCulture, $"MSG {subject} {Sid} {body.Length}\r\n{body}\r\n");
                _sums[i] += Weigh(Encoding.ASCII.GetBytes(body));
            }

            _chunks[i] = Encoding.ASCII.GetBytes(text.ToString());
        }
    }
}

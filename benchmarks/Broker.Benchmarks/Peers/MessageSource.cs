using System.Text;

namespace Broker.Benchmarks.Peers;

/// <summary>
/// Sends messages to its one client as fast as that takes them, ready-made and many at a time: so it is not what a receiver is measured by.
/// It is never further ahead than a window, so that what waits in between, and with it the memory, does not depend on who is scheduled.
/// </summary>
internal sealed class MessageSource : NatsEnd
{
    /// <summary>
    /// From how many under way on it waits; a chunk more may be. All of them fit into what a queue of ours keeps for good, so that none
    /// of it is given up and taken again in between.
    /// </summary>
    internal const int Window = 3 * Chunk;

    private const int Chunk = 250;

    private readonly bool _varied;
    private readonly int _window;
    private readonly SemaphoreSlim _go = new(0);
    private readonly Func<long> _taken;
    // In turn, so that few are under way and yet many differ.
    private readonly byte[][] _chunks = new byte[2][];
    private readonly ulong[] _sums = new ulong[2];
    private long _sent;
    private long _target;
    private volatile bool _ends;

    /// <param name="varied">Whether subjects and sizes differ from message to message.</param>
    /// <param name="taken">How many the receiver has had. Any thread.</param>
    /// <param name="window">How many may be under way.</param>
    internal MessageSource(bool varied, Func<long> taken, int window = Window)
    {
        _varied = varied;
        _window = window;
        _taken = taken;
        Start();
    }

    /// <summary>What the client subscribes to, with an end as C has it.</summary>
    internal ReadOnlySpan<byte> Filter => _varied ? "foo.>\0"u8 : "foo\0"u8;

    /// <summary>What the receiver's sum must be after so many messages, which are whole chunks.</summary>
    internal ulong SumOf(long messages)
    {
        ulong chunks = (ulong)(messages / Chunk);
        return (chunks / 2 * (_sums[0] + _sums[1])) + (chunks % 2 * _sums[0]);
    }

    /// <summary>What a message adds to a sum: cheap, and different for another body.</summary>
    internal static ulong Weigh(ReadOnlySpan<byte> body) => (ulong)body.Length + (body.IsEmpty ? 0 : (ulong)(body[0] + body[^1]));

    /// <summary>Lets it send more. Returns how many there will have been.</summary>
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
                // The receiver is not asked any more when it may be gone.
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
        // The thread waits for more to send, for its client, or for what is under way.
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

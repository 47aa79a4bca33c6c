using System.Globalization;
using System.Text;

namespace Broker.Cli.Bench;

/// <summary>
/// The publishes of a measurement, encoded before it begins. A publisher sends them again and again, in blocks, so that
/// it costs almost nothing on the processors that it shares with the server.
/// </summary>
internal sealed class PublishFrames
{
    private const int BlockBytes = 64 * 1024;
    private const int Seed = 17;

    // More would not fit into the memory of a small machine. Then the publishers encode while they send.
    private const long MostBytes = 64L * 1024 * 1024;

    private readonly byte[][] _subjects;
    private readonly ReadOnlyMemory<byte>[] _bodies;
    private readonly int[] _order;
    private readonly byte[]? _encoded;
    private readonly long[] _ends = [];

    /// <param name="subjects">The subjects, which are used equally often, in random order.</param>
    /// <param name="bodies">The bodies, which are used in turn.</param>
    public PublishFrames(IReadOnlyList<string> subjects, ReadOnlyMemory<byte>[] bodies)
    {
        _subjects = [.. subjects.Select(Encoding.UTF8.GetBytes)];
        _bodies = bodies;
        _order = [.. Enumerable.Range(0, Math.Max(1, bodies.Length / subjects.Count)).SelectMany(_ => Enumerable.Range(0, subjects.Count))];
        if (subjects.Count > 1)
        {
            new Random(Seed).Shuffle(_order);
        }

        long bytes = 0;
        for (int i = 0; i < _order.Length && bytes <= MostBytes; i++)
        {
            bytes += LengthOf(i);
        }

        if (bytes <= MostBytes)
        {
            // Several rounds, until one block is full.
            int rounds = (int)Math.Max(1, BlockBytes / bytes);
            (_encoded, _ends) = Encode(rounds, (int)bytes);
        }
    }

    /// <summary>The messages after which the publishes repeat.</summary>
    private int Cycle => _encoded is null ? _order.Length : _ends.Length - 1;

    /// <summary>Returns the next publishes, and moves the position behind them.</summary>
    /// <param name="position">The number of messages that were sent before.</param>
    /// <param name="most">The number of messages that may be sent.</param>
    /// <param name="scratch">Memory of the caller, which the result may use.</param>
    /// <param name="bodyBytes">The bytes of the bodies in the result.</param>
    public ReadOnlySpan<byte> Next(ref long position, long most, ref byte[] scratch, out long bodyBytes)
    {
        int first = (int)(position % Cycle);
        return _encoded is null ? EncodeBlock(first, ref position, most, ref scratch, out bodyBytes) : Block(first, ref position, most, out bodyBytes);
    }

    private ReadOnlySpan<byte> Block(int first, ref long position, long most, out long bodyBytes)
    {
        long begin = _ends[first];
        int last = Array.BinarySearch(_ends, first + 1, _ends.Length - first - 1, begin + BlockBytes);
        // Without an exact match, the result is the complement of the next end: the end before it fits the block.
        last = last >= 0 ? last : Math.Max(first + 1, ~last - 1);
        last = (int)Math.Min(last, first + most);
        bodyBytes = 0;
        if (_bodies.Length == 1)
        {
            bodyBytes = (long)(last - first) * _bodies[0].Length;
        }
        else
        {
            for (int i = first; i < last; i++)
            {
                bodyBytes += Body(i).Length;
            }
        }

        position += last - first;
        return _encoded.AsSpan((int)begin, (int)(_ends[last] - begin));
    }

    private ReadOnlySpan<byte> EncodeBlock(int first, ref long position, long most, ref byte[] scratch, out long bodyBytes)
    {
        int used = 0;
        bodyBytes = 0;
        for (int i = first; i < Cycle && most > 0 && (used == 0 || used + LengthOf(i) <= BlockBytes); i++, most--)
        {
            int length = LengthOf(i);
            if (scratch.Length < used + length)
            {
                Array.Resize(ref scratch, Math.Max(BlockBytes, used + length));
            }

            used += Write(i, scratch.AsSpan(used));
            bodyBytes += Body(i).Length;
            position++;
        }

        return scratch.AsSpan(0, used);
    }

    private (byte[] Encoded, long[] Ends) Encode(int rounds, int bytes)
    {
        byte[] encoded = GC.AllocateUninitializedArray<byte>(rounds * bytes, pinned: true);
        long[] ends = new long[(rounds * _order.Length) + 1];
        int used = 0;
        for (int i = 1; i < ends.Length; i++)
        {
            used += Write(i - 1, encoded.AsSpan(used));
            ends[i] = used;
        }

        return (encoded, ends);
    }

    private ReadOnlySpan<byte> Subject(int message) => _subjects[_order[message % _order.Length]];

    private ReadOnlySpan<byte> Body(int message) => _bodies[message % _order.Length % _bodies.Length].Span;

    private int LengthOf(int message)
    {
        int size = Body(message).Length;
        int digits = 1;
        for (int left = size; left >= 10; left /= 10)
        {
            digits++;
        }

        return "PUB  \r\n\r\n".Length + Subject(message).Length + digits + size;
    }

    private int Write(int message, Span<byte> into)
    {
        ReadOnlySpan<byte> body = Body(message);
        var rest = new SpanWriter(into);
        rest.Write("PUB "u8);
        rest.Write(Subject(message));
        rest.WriteSize(body.Length);
        rest.Write(body);
        rest.Write("\r\n"u8);
        return rest.Written;
    }

    private ref struct SpanWriter(Span<byte> into)
    {
        private Span<byte> _rest = into;

        public int Written { get; private set; }

        public void Write(ReadOnlySpan<byte> bytes)
        {
            bytes.CopyTo(_rest);
            Advance(bytes.Length);
        }

        public void WriteSize(int size)
        {
            Write(" "u8);
            size.TryFormat(_rest, out int count, default, CultureInfo.InvariantCulture);
            Advance(count);
            Write("\r\n"u8);
        }

        private void Advance(int count)
        {
            _rest = _rest[count..];
            Written += count;
        }
    }
}

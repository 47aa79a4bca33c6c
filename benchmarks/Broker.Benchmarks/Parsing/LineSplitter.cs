using System.Buffers;
using System.Buffers.Text;
using System.IO.Pipelines;

namespace Broker.Benchmarks.Parsing;

/// <summary>
/// A parser in the style of System.IO.Pipelines: a <see cref="SequenceReader{T}"/> cuts lines from a <see
/// cref="ReadOnlySequence{T}"/>. A line in two segments is copied first.
/// </summary>
internal sealed class LineSplitter
{
    private readonly Pipe _pipe = new(new PipeOptions(pauseWriterThreshold: 0, useSynchronizationContext: false));
    private readonly byte[] _line = new byte[4096];
    private readonly byte[] _payload = new byte[PublishStream.MostBytes];

    internal bool ParseWhole<TSink>(ReadOnlyMemory<byte> bytes, ref TSink sink)
        where TSink : struct, IPublishSink
    {
        var sequence = new ReadOnlySequence<byte>(bytes);
        return Parse(sequence, ref sink, out SequencePosition consumed) && sequence.Slice(consumed).IsEmpty;
    }

    /// <summary>Parses one read. Returns false if the stream is invalid.</summary>
    internal bool Receive<TSink>(ReadOnlySpan<byte> read, ref TSink sink)
        where TSink : struct, IPublishSink
    {
        _pipe.Writer.Write(read);
        ValueTask<FlushResult> flush = _pipe.Writer.FlushAsync();
        if (!flush.IsCompletedSuccessfully || !_pipe.Reader.TryRead(out ReadResult result))
        {
            throw new InvalidOperationException("A pipe without a threshold took no bytes.");
        }

        bool valid = Parse(result.Buffer, ref sink, out SequencePosition consumed);
        _pipe.Reader.AdvanceTo(consumed, result.Buffer.End);
        return valid;
    }

    private bool Parse<TSink>(in ReadOnlySequence<byte> bytes, ref TSink sink, out SequencePosition consumed)
        where TSink : struct, IPublishSink
    {
        var reader = new SequenceReader<byte>(bytes);
        while (true)
        {
            consumed = reader.Position;
            if (!reader.TryReadTo(out ReadOnlySequence<byte> parts, (byte)'\n'))
            {
                return true;
            }

            if (parts.Length > _line.Length)
            {
                return false;
            }

            ReadOnlySpan<byte> line = Join(parts, _line).TrimEnd((byte)'\r');
            if (!TryReadVerb(ref line) || !TryReadArguments(line, out Range subject, out Range replyTo, out int size)
                || size > _payload.Length)
            {
                return false;
            }

            if (reader.Remaining < size + 2)
            {
                return true;
            }

            ReadOnlySpan<byte> payload = Join(reader.UnreadSequence.Slice(0, size), _payload);
            reader.Advance(size);
            if (!reader.IsNext("\r\n"u8, advancePast: true))
            {
                return false;
            }

            sink.Publish(line[subject], line[replyTo], payload);
        }
    }

    private static ReadOnlySpan<byte> Join(in ReadOnlySequence<byte> parts, byte[] scratch)
    {
        if (parts.IsSingleSegment)
        {
            return parts.FirstSpan;
        }

        parts.CopyTo(scratch);
        return scratch.AsSpan(0, (int)parts.Length);
    }

    private static bool TryReadVerb(ref ReadOnlySpan<byte> line)
    {
        if (line.Length < 4 || !System.Text.Ascii.EqualsIgnoreCase(line[..4], "PUB "u8))
        {
            return false;
        }

        line = line[4..];
        return true;
    }

    private static bool TryReadArguments(ReadOnlySpan<byte> line, out Range subject, out Range replyTo, out int size)
    {
        replyTo = default;
        size = 0;
        int first = line.IndexOf((byte)' ');
        subject = first < 0 ? default : ..first;
        if (first <= 0)
        {
            return false;
        }

        int last = line.LastIndexOf((byte)' ');
        replyTo = last == first ? default : (first + 1)..last;
        if (line[replyTo].Contains((byte)' '))
        {
            return false;
        }

        return Utf8Parser.TryParse(line[(last + 1)..], out size, out int taken) && taken == line.Length - last - 1 && size >= 0;
    }
}

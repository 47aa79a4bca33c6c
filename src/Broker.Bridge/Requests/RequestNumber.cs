using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// Writes the frames before the body of a request to a worker, and reads the number of the request from the frames
/// before the body of the reply.
/// </summary>
internal static class RequestNumber
{
    /// <summary>The largest envelope: an empty frame, the number of the request as text and an empty frame.</summary>
    internal const int MaxEnvelopeSize = 2 + 2 + TextSize + 2;

    private const int TextSize = 2 * sizeof(ulong);

    /// <summary>Writes the envelope and returns its size. All its frames have the MORE flag.</summary>
    internal static int WriteEnvelope(Span<byte> destination, WorkerEnvelope envelope, ulong number)
    {
        int size = 0;
        if (envelope == WorkerEnvelope.Number)
        {
            Span<byte> binary = stackalloc byte[sizeof(ulong)];
            BinaryPrimitives.WriteUInt64BigEndian(binary, number);
            size = ZmtpWriter.WriteFrame(destination, binary, more: true);
        }
        else if (envelope == WorkerEnvelope.Ready)
        {
            // As text: workers in C read the frame as a string, which ends with the first zero byte.
            Span<byte> text = stackalloc byte[TextSize];
            Utf8Formatter.TryFormat(number, text, out _, new StandardFormat('x', TextSize));
            size = ZmtpWriter.WriteFrame(destination, [], more: true);
            size += ZmtpWriter.WriteFrame(destination[size..], text, more: true);
        }

        return size + ZmtpWriter.WriteFrame(destination[size..], [], more: true);
    }

    /// <summary>
    /// Reads the number from a reply with <see cref="WorkerEnvelope.Number"/>: number, empty frame, body.
    /// </summary>
    internal static bool TryReadBinary(in ZmtpMessage message, out ulong number)
    {
        number = 0;
        ZmtpMessage.Enumerator frames = message.GetEnumerator();
        frames.MoveNext();
        ReadOnlySpan<byte> digits = frames.Current.Body;
        if (message.FrameCount < 3 || digits.Length != sizeof(ulong) || !frames.MoveNext() || !frames.Current.Body.IsEmpty)
        {
            return false;
        }

        number = BinaryPrimitives.ReadUInt64BigEndian(digits);
        return true;
    }

    /// <summary>
    /// Reads the number from a reply with <see cref="WorkerEnvelope.Ready"/>: empty frame, number, empty frame, body.
    /// Returns false for a message without a reply.
    /// </summary>
    internal static bool TryReadText(in ZmtpMessage message, out ulong number)
    {
        number = 0;
        if (message.FrameCount < 4)
        {
            return false;
        }

        ZmtpMessage.Enumerator frames = message.GetEnumerator();
        frames.MoveNext();
        frames.MoveNext();
        ReadOnlySpan<byte> text = frames.Current.Body;
        frames.MoveNext();
        return text.Length == TextSize && frames.Current.Body.IsEmpty
            && Utf8Parser.TryParse(text, out number, out int read, 'x') && read == TextSize;
    }
}

using Broker.ZeroMq;

namespace Broker.Bridge;

/// <summary>
/// The envelope of a request: the frames up to and including the first empty frame (RFC 28). The reply must repeat it.
/// A message without an empty frame, which a DEALER may send, has no envelope.
/// </summary>
internal static class RequestEnvelope
{
    /// <summary>
    /// The largest size of an envelope. If the first empty frame comes after more bytes, it belongs to the body.
    /// </summary>
    internal const int MostBytes = 1024;

    /// <summary>Returns the number of frames in the envelope.</summary>
    /// <param name="message">The message.</param>
    /// <param name="size">The size of the encoded envelope in bytes.</param>
    internal static int Measure(in ZmtpMessage message, out int size)
    {
        size = 0;
        int frames = 0;
        foreach (ZmtpFrame frame in message)
        {
            frames++;
            size += ZmtpWriter.FrameSize(frame.Body.Length);
            if (frames == message.FrameCount || size > MostBytes)
            {
                break;
            }

            if (frame.Body.IsEmpty)
            {
                return frames;
            }
        }

        size = 0;
        return 0;
    }

    /// <summary>Writes this number of frames, each with the MORE flag.</summary>
    internal static void Write(in ZmtpMessage message, int frames, Span<byte> destination)
    {
        foreach (ZmtpFrame frame in message)
        {
            if (frames-- == 0)
            {
                return;
            }

            destination = destination[ZmtpWriter.WriteFrame(destination, frame.Body, more: true)..];
        }
    }
}

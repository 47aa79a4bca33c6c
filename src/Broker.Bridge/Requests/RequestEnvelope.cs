using Broker.ZeroMq.Zmtp.Framing;

namespace Broker.Bridge.Requests;

/// <summary>
/// What stands before the body of a request and comes back with the answer: the frames up to the first empty one (RFC 28). A message without
/// one, as DEALERs may send it, is all body.
/// </summary>
internal static class RequestEnvelope
{
    /// <summary>Beyond this an empty frame belongs to the body.</summary>
    internal const int MostBytes = 1024;

    /// <summary>How many frames it has.</summary>
    /// <param name="message">The message.</param>
    /// <param name="size">How many bytes they are, encoded.</param>
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

    /// <summary>Writes so many frames, encoded, each saying that more follow.</summary>
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

using System.Globalization;
using System.Text;
using Broker.ZeroMq;

namespace Broker.Bridge.Tests.PubSub.Support;

/// <summary>Test messages: their frames, their bytes on the wire, and a text that identifies them.</summary>
internal static class Shapes
{
    public static readonly byte[] Probe = "\u0001probe"u8.ToArray();

    public static byte[] Bytes(string latin1) => Encoding.Latin1.GetBytes(latin1);

    public static byte[][] Frames(string topic, params string[] bodies) => [Bytes(topic), .. bodies.Select(Bytes)];

    public static byte[] Encode(byte[][] frames)
    {
        var encoded = new List<byte>();
        for (int i = 0; i < frames.Length; i++)
        {
            byte[] frame = new byte[ZmtpWriter.FrameSize(frames[i].Length)];
            ZmtpWriter.WriteFrame(frame, frames[i], more: i + 1 < frames.Length);
            encoded.AddRange(frame);
        }

        return [.. encoded];
    }

    public static string Text(byte[][] frames)
        => string.Join('|', frames.Select(Encoding.Latin1.GetString));

    public static string Number(int i) => i.ToString(CultureInfo.InvariantCulture);
}

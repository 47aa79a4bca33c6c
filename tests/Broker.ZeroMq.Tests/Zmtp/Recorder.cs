using System.Text;


namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>Records the messages and commands of a decoder and returns the configured decisions.</summary>
internal struct Recorder(List<string> events) : IZmtpFrameHandler
{
    public ZmtpVerdict MessageVerdict { get; set; }

    public ZmtpVerdict CommandVerdict { get; set; }

    public readonly ZmtpVerdict OnMessage(in ZmtpMessage message)
    {
        var text = new StringBuilder("message");
        int frames = 0;
        int size = 0;
        foreach (ZmtpFrame frame in message)
        {
            Assert.Equal(frames + 1 < message.FrameCount, frame.More);
            text.Append(' ').Append(Show(frame.Body));
            frames++;
            size += frame.Body.Length;
        }

        Assert.Equal(message.FrameCount, frames);
        Assert.Equal(message.BodySize, size);

        byte[] copy = new byte[message.EncodedSize];
        Assert.Equal(copy.Length, message.CopyTo(copy));
        if (message.IsContiguous)
        {
            Assert.True(message.Encoded.SequenceEqual(copy));
        }

        var subscription = ZmtpSubscription.From(message);
        if (subscription.Kind != ZmtpSubscriptionKind.None)
        {
            text.Append(" = ").Append(subscription.Kind).Append(' ').Append(Show(subscription.Topic));
        }

        events.Add(text.ToString());
        return MessageVerdict;
    }

    public readonly ZmtpVerdict OnCommand(in ZmtpCommand command)
    {
        var subscription = ZmtpSubscription.From(command);
        events.Add(subscription.Kind != ZmtpSubscriptionKind.None
            ? $"{subscription.Kind} {Show(subscription.Topic)}"
            : $"command {command.Kind} {Show(command.Data)}");
        return CommandVerdict;
    }

    private static string Show(ReadOnlySpan<byte> octets)
        => octets.Length <= 24 ? $"[{Convert.ToHexString(octets)}]" : $"[{octets.Length}:{Hash(octets):X8}]";

    private static uint Hash(ReadOnlySpan<byte> octets)
    {
        uint hash = 2166136261;
        foreach (byte octet in octets)
        {
            hash = (hash ^ octet) * 16777619;
        }

        return hash;
    }
}

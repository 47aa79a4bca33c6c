namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class WriterTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(255)]
    [InlineData(256)]
    [InlineData(70_000)]
    public void Messages_are_written_as_the_specification_says(int length)
    {
        byte[] body = Wire.Filled(length);
        byte[] output = new byte[3 * (length + 9)];
        Assert.Equal(ZmtpWriter.FrameSize(length), ZmtpWriter.WriteMessage(output, body));
        Assert.Equal(Wire.Message(body), output[..ZmtpWriter.FrameSize(length)]);

        int written = ZmtpWriter.WriteMessage(output, body, [7]);
        Assert.Equal(Wire.Message(body, [7]), output[..written]);

        ReadOnlyMemory<byte>[] frames = [body, Array.Empty<byte>(), body];
        written = ZmtpWriter.WriteMessage(output, frames);
        Assert.Equal(ZmtpWriter.MessageSize(frames), written);
        Assert.Equal(Wire.Message(body, [], body), output[..written]);

        written = ZmtpWriter.WriteHeader(output, length, more: true);
        Assert.Equal(ZmtpWriter.HeaderSize(length), written);
        Assert.Equal(Wire.Message(body, [])[..written], output[..written]);
    }

    [Fact]
    public void Commands_are_those_of_libzmq()
    {
        byte[] output = new byte[400];
        Assert.Equal(Libzmq.Ping, output[..ZmtpCommandWriter.WritePing(output, 20, default)]);
        Assert.Equal(Libzmq.Pong, output[..ZmtpCommandWriter.WritePong(output, "ctx"u8)]);
        Assert.Equal(Libzmq.SubReady, output[..ZmtpCommandWriter.WriteReady(output, Wire.Property("Socket-Type", Wire.Ascii("SUB")))]);
        Assert.Equal(Wire.Command("ERROR", 3, (byte)'a', (byte)'-', (byte)'-'), output[..ZmtpCommandWriter.WriteError(output, "a \u00e9")]);
        int written = ZmtpCommandWriter.WriteError(output, new string('x', 300));
        Assert.Equal(ZmtpCommandWriter.MaxErrorSize, written);
        Assert.Equal(Wire.Command("ERROR", Wire.Join([255], Wire.Filled(255))), output[..written]);
    }

    [Fact]
    public void Subscriptions_have_the_form_that_the_peer_understands()
    {
        Assert.Equal(Libzmq.Subscriptions31, Written(asCommand: true));
        Assert.Equal(Libzmq.Subscriptions30, Written(asCommand: false));

        static byte[] Written(bool asCommand)
        {
            var all = new List<byte>();
            foreach ((string? topic, bool subscribe) in new[] { ("", true), ("abc", true), ("abc", false) })
            {
                byte[] output = new byte[ZmtpCommandWriter.SubscriptionSize(topic.Length, subscribe, asCommand)];
                Assert.Equal(output.Length, ZmtpCommandWriter.WriteSubscription(output, Wire.Ascii(topic), subscribe, asCommand));
                all.AddRange(output);
            }

            return [.. all];
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Subscriptions_of_every_length_round_trip_through_the_decoder(bool asCommand)
    {
        for (int length = 0; length < 600; length++)
        {
            foreach (bool subscribe in new[] { true, false })
            {
                byte[] topic = Wire.Filled(length);
                byte[] output = new byte[ZmtpCommandWriter.SubscriptionSize(length, subscribe, asCommand)];
                ZmtpCommandWriter.WriteSubscription(output, topic, subscribe, asCommand);
                var decoder = new ZmtpDecoder(ZmtpLimits.Default);
                var reader = new SubscriptionReader();
                Assert.Equal(output.Length, decoder.Decode(output, ref reader).Consumed);
                Assert.Equal(subscribe ? ZmtpSubscriptionKind.Subscribe : ZmtpSubscriptionKind.Cancel, reader.Kind);
                Assert.Equal(topic, reader.Topic);
            }
        }
    }

    [Fact]
    public void Only_messages_of_one_frame_that_begin_with_0_or_1_are_subscriptions()
    {
        var decoder = new ZmtpDecoder(ZmtpLimits.Default);
        foreach (byte[] stream in new[] { Wire.Message([2, 65]), Wire.Message([]), Wire.Message([1, 65], [1]), Wire.Command("PING", 0, 0) })
        {
            var reader = new SubscriptionReader();
            decoder.Decode(stream, ref reader);
            Assert.Equal(ZmtpSubscriptionKind.None, reader.Kind);
        }
    }

    [Fact]
    public void Pings_are_read_and_checked()
    {
        Assert.Equal((ZmtpError.None, 0x0102, 3), ReadPing([1, 2, 7, 8, 9]));
        Assert.Equal((ZmtpError.None, 0xFFFF, 16), ReadPing([0xFF, 0xFF, .. Wire.Filled(16)]));
        Assert.Equal((ZmtpError.PingMalformed, 0, 0), ReadPing([0, 0, .. Wire.Filled(17)]));
        Assert.Equal((ZmtpError.PingMalformed, 0, 0), ReadPing([1]));

        static (ZmtpError Error, int Ttl, int ContextLength) ReadPing(byte[] data)
        {
            Assert.True(ZmtpCommand.TryParse([4, .. "PING"u8, .. data], out ZmtpCommand command));
            Assert.Equal(ZmtpCommandKind.Ping, command.Kind);
            ZmtpError error = command.ReadPing(out ushort ttl, out ReadOnlySpan<byte> context);
            return (error, ttl, context.Length);
        }
    }

    [Fact]
    public void Known_commands_are_recognized_by_their_exact_names()
    {
        foreach (ZmtpCommandKind kind in Enum.GetValues<ZmtpCommandKind>().Where(kind => kind != ZmtpCommandKind.Unknown))
        {
            string name = kind.ToString();
            Assert.Equal(kind, Parse(name.ToUpperInvariant()));
            Assert.Equal(ZmtpCommandKind.Unknown, Parse(name));
        }

        Assert.Equal(ZmtpCommandKind.Unknown, Parse("JOINED"));

        static ZmtpCommandKind Parse(string name)
        {
            Assert.True(ZmtpCommand.TryParse([(byte)name.Length, .. Wire.Ascii(name)], out ZmtpCommand command));
            Assert.Equal(Wire.Ascii(name), command.Name);
            return command.Kind;
        }
    }

    [Fact]
    public void Invalid_arguments_throw()
    {
        Assert.ThrowsAny<ArgumentException>(() => ZmtpWriter.WriteMessage(new byte[3], [1, 2]));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpWriter.WriteMessage(new byte[1], default(ReadOnlySpan<byte>)));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpWriter.WriteMessage(new byte[9], default(ReadOnlySpan<ReadOnlyMemory<byte>>)));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpWriter.WriteHeader(new byte[9], -1, more: false));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpWriter.WriteHeader(new byte[8], 256, more: false));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpCommandWriter.WritePing(new byte[99], 0, new byte[17]));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpCommandWriter.WritePong(new byte[99], new byte[17]));
        Assert.ThrowsAny<ArgumentException>(() => ZmtpCommandWriter.WriteCommand(new byte[99], default, default));
    }

    private struct SubscriptionReader() : IZmtpFrameHandler
    {
        public ZmtpSubscriptionKind Kind { get; private set; }

        public byte[] Topic { get; private set; } = [];

        public ZmtpVerdict OnMessage(in ZmtpMessage message) => Keep(ZmtpSubscription.From(message));

        public ZmtpVerdict OnCommand(in ZmtpCommand command) => Keep(ZmtpSubscription.From(command));

        private ZmtpVerdict Keep(ZmtpSubscription subscription)
        {
            Kind = subscription.Kind;
            Topic = subscription.Topic.ToArray();
            return ZmtpVerdict.Continue;
        }
    }
}

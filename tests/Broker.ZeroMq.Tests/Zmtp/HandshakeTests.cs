namespace Broker.ZeroMq.Tests.Zmtp;

public sealed class HandshakeTests
{
    [Fact]
    public void Signature_and_version_are_sent_first_and_the_rest_after_the_peer_s_version()
    {
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Pub));
        byte[] output = new byte[handshake.MaxOutputSize];
        Assert.Equal(new ZmtpHandshakeStep(0, 11, 11, ZmtpHandshakeState.Greeting), handshake.Advance([], output));
        Assert.Equal(Wire.Greeting()[..11], output[..11]);
        Assert.Equal(new ZmtpHandshakeStep(0, 11, 0, ZmtpHandshakeState.Greeting), handshake.Advance([], output));
        Assert.Equal(new ZmtpHandshakeStep(0, 64, 53, ZmtpHandshakeState.Greeting), handshake.Advance(Wire.Greeting().AsSpan(0, 11), output));
        Assert.Equal(Wire.Greeting()[11..], output[..53]);
    }

    [Fact]
    public void The_whole_greeting_is_sent_first_if_older_peers_are_not_allowed()
    {
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Pub), new NullMechanism(asks: true));
        byte[] output = new byte[handshake.MaxOutputSize];
        Assert.Equal(new ZmtpHandshakeStep(0, 64, 64, ZmtpHandshakeState.Greeting), handshake.Advance([], output));
        Assert.Equal(Wire.Greeting(), output[..64]);
        Assert.Equal(new ZmtpHandshakeStep(0, 64, 0, ZmtpHandshakeState.Greeting), handshake.Advance([], output));
    }

    [Fact]
    public void A_libzmq_subscriber_of_minor_1_is_accepted()
    {
        (ZmtpHandshake? handshake, Session? session) = Run(ZmtpSocketType.Pub, Wire.Join(Libzmq.Greeting, Libzmq.SubReady, Libzmq.Subscriptions31));
        Assert.Equal(ZmtpHandshakeState.Active, handshake.State);
        Assert.True(handshake.Peer!.UsesSubscribeCommands);
        Assert.Equal(["active Sub 3.1 ", "Subscribe []", "Subscribe [616263]", "Cancel [616263]"], session.Events);
        Assert.Equal(Wire.Join(Wire.Greeting(), Wire.Ready("PUB")), session.Sent);
    }

    [Fact]
    public void A_subscriber_of_minor_0_is_accepted()
    {
        (ZmtpHandshake? handshake, Session? session) = Run(ZmtpSocketType.XPub, Wire.Join(Wire.Greeting(minor: 0), Libzmq.SubReady, Libzmq.Subscriptions30));
        Assert.False(handshake.Peer!.UsesSubscribeCommands);
        Assert.False(handshake.Peer.UnderstandsPing);
        Assert.Equal(
            ["active Sub 3.0 ", "message [01] = Subscribe []", "message [01616263] = Subscribe [616263]", "message [00616263] = Cancel [616263]"],
            session.Events);
    }

    [Theory]
    [InlineData(ZmtpSocketType.XSub)]
    [InlineData(ZmtpSocketType.Sub)]
    public void A_libzmq_publisher_is_accepted(ZmtpSocketType own)
    {
        (ZmtpHandshake _, Session? session) = Run(own, Wire.Join(Libzmq.Greeting, Libzmq.XPubReady, Libzmq.Published));
        Assert.Equal("active XPub 3.1 ", session.Events[0]);
        Assert.Equal("message [6B6579] [626F6479]", session.Events[1]);
        Assert.Equal(3, session.Events.Count);
    }

    [Fact]
    public void A_libzmq_pusher_and_requester_are_accepted()
    {
        (ZmtpHandshake _, Session? pull) = Run(ZmtpSocketType.Pull, Wire.Join(Libzmq.Greeting, Libzmq.PushReady, Libzmq.FiveFrames, Libzmq.Ping));
        Assert.Equal(["active Push 3.1 ", "command Ping [0014]"], [pull.Events[0], pull.Events[2]]);

        (ZmtpHandshake _, Session? router) = Run(ZmtpSocketType.Router, Wire.Join(Libzmq.Greeting, Libzmq.ReqReady, Libzmq.Request));
        Assert.Equal(["active Req 3.1 ", "message [] [68656C6C6F]"], router.Events);
    }

    [Fact]
    public void Identity_and_other_properties_of_a_libzmq_dealer_are_kept()
    {
        (ZmtpHandshake? handshake, Session _) = Run(ZmtpSocketType.Router, Wire.Join(Libzmq.DealerGreeting, Libzmq.DealerReady));
        Assert.Equal("worker-1"u8, handshake.Peer!.Identity.Span);
        Assert.True(handshake.Peer.TryGetProperty("x-zone"u8, out ReadOnlySpan<byte> zone));
        Assert.Equal("eu-1"u8, zone);
        Assert.False(handshake.Peer.TryGetProperty("X-Zon"u8, out _));

        var application = new List<string>();
        ZmtpMetadataReader reader = handshake.Peer.Properties;
        while (reader.Read(out ZmtpProperty property))
        {
            if (property.IsApplicationProperty)
            {
                application.Add(Convert.ToHexString(property.Name));
            }
        }

        Assert.Equal([Convert.ToHexString("X-Zone"u8)], application);
    }

    [Fact]
    public void Our_metadata_are_those_of_libzmq()
    {
        var dealer = new ZmtpHandshakeOptions(
            ZmtpSocketType.Dealer, "worker-1"u8.ToArray(), properties: [new("X-Zone", "eu-1")]);
        Assert.Equal(Libzmq.DealerReady.AsSpan(8), dealer.Metadata);

        // Only three socket types have an identity. They always send it, even if it is empty.
        Assert.Equal(Libzmq.ReqReady.AsSpan(8), new ZmtpHandshakeOptions(ZmtpSocketType.Req).Metadata);
        Assert.Equal(Libzmq.PushReady.AsSpan(8), new ZmtpHandshakeOptions(ZmtpSocketType.Push, "me"u8.ToArray()).Metadata);
    }

    [Fact]
    public void Two_of_our_own_handshakes_succeed()
    {
        var router = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Router));
        var dealer = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Dealer, "d"u8.ToArray()));
        var left = new Session(ZmtpLimits.Default, router);
        var right = new Session(ZmtpLimits.Default, dealer);
        int leftSent = 0;
        int rightSent = 0;
        while (leftSent < left.Sent.Length || rightSent < right.Sent.Length)
        {
            byte[] toRight = left.Sent[leftSent..];
            byte[] toLeft = right.Sent[rightSent..];
            leftSent += toRight.Length;
            rightSent += toLeft.Length;
            right.Feed(toRight);
            left.Feed(toLeft);
        }

        Assert.Equal(["active Dealer 3.1 64"], left.Events);
        Assert.Equal(["active Router 3.1 "], right.Events);
    }

    public static TheoryData<string, byte[], Enum> RefusedWithReason => new()
    {
        { "pair of types", Libzmq.SubReady, ZmtpError.SocketTypeIncompatible },
        { "unknown type", Wire.Ready("sub"), ZmtpError.SocketTypeUnknown },
        { "no type", Wire.Command("READY"), ZmtpError.SocketTypeMissing },
        { "type twice", Wire.Ready("DEALER", Wire.Property("SOCKET-TYPE", Wire.Ascii("REQ"))), ZmtpError.PropertyDuplicate },
        { "identity twice", Wire.Ready("DEALER", Wire.Property("Identity", 1), Wire.Property("identity", 2)), ZmtpError.PropertyDuplicate },
        { "long identity", Wire.Ready("DEALER", Wire.Property("Identity", Wire.Filled(256))), ZmtpError.IdentityTooLong },
        { "name of length 0", Wire.Ready("DEALER", [0, 0, 0, 0, 0]), ZmtpError.PropertyNameEmpty },
        { "illegal name", Wire.Ready("DEALER", Wire.Property("a b", 1)), ZmtpError.PropertyNameInvalid },
        { "negative value length", Wire.Ready("DEALER", [1, (byte)'a', 0xFF, 0xFF, 0xFF, 0xFF]), ZmtpError.PropertyLengthInvalid },
        { "value length -2^31", Wire.Ready("DEALER", [1, (byte)'a', 0x80, 0, 0, 0]), ZmtpError.PropertyLengthInvalid },
        { "value length 2^31-1", Wire.Ready("DEALER", [1, (byte)'a', 0x7F, 0xFF, 0xFF, 0xFF]), ZmtpError.PropertyTruncated },
        { "value one too long", Wire.Ready("DEALER", [1, (byte)'a', 0, 0, 0, 2, 1]), ZmtpError.PropertyTruncated },
        { "name cut", Wire.Ready("DEALER", [9, (byte)'a']), ZmtpError.PropertyTruncated },
        { "length cut", Wire.Ready("DEALER", [1, (byte)'a', 0, 0, 0]), ZmtpError.PropertyTruncated },
        { "other command", Libzmq.Ping, ZmtpError.CommandUnexpected },
        { "command of another mechanism", Wire.Command("HELLO"), ZmtpError.CommandUnexpected },
        { "message", Wire.Message([1]), ZmtpError.MessageDuringHandshake },
        { "start of a long message", [2, 0], ZmtpError.MessageDuringHandshake },
        { "reserved flags", [0xFC, 0], ZmtpError.FrameFlagsReserved },
        { "huge command", [6, .. Wire.Big64(1 << 30)], ZmtpError.CommandTooLarge },
    };

    [Theory]
    [MemberData(nameof(RefusedWithReason))]
    public void After_the_greeting_a_refusal_is_sent_as_an_ERROR_command(string what, byte[] stream, Enum reported)
    {
        var expected = (ZmtpError)reported;
        Assert.NotEmpty(what);
        foreach (int piece in new[] { 1, 1000 })
        {
            var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Router));
            Session session = new Session(ZmtpLimits.Default, handshake).FeedInPieces(Wire.Join(Wire.Greeting(), stream), piece);
            Assert.Equal((ZmtpHandshakeState.Failed, expected), (handshake.State, handshake.Error));

            string reason = ZmtpErrors.Text(expected).Replace(' ', '-');
            byte[] error = Wire.Command("ERROR", Wire.Join([(byte)reason.Length], Wire.Ascii(reason)));
            Assert.Equal(error, session.Sent[^error.Length..]);
            Assert.Equal(64 + Wire.Ready("ROUTER", Wire.Property("Identity")).Length + error.Length, session.Sent.Length);
        }
    }

    [Fact]
    public void Another_mechanism_is_answered_only_by_the_greeting()
    {
        (ZmtpHandshake? handshake, Session? session) = Run(ZmtpSocketType.Pull, Libzmq.PlainClient);
        Assert.Equal((ZmtpHandshakeState.Failed, ZmtpError.MechanismMismatch), (handshake.State, handshake.Error));
        Assert.Equal(Wire.Greeting(), session.Sent);
    }

    [Fact]
    public void An_older_peer_is_refused_by_its_version()
    {
        Assert.Equal(ZmtpError.VersionTooOld, Run(ZmtpSocketType.Pull, Wire.Greeting(major: 0)[..11]).Handshake.Error);
        Assert.Equal(ZmtpError.VersionTooOld, Run(ZmtpSocketType.Pull, Wire.Greeting(major: 1)[..11], new NullMechanism(asks: true)).Handshake.Error);
        Assert.Equal(ZmtpError.GreetingNotZmtp, Run(ZmtpSocketType.Pull, [1, 0]).Handshake.Error);
        Assert.Equal(ZmtpError.GreetingUnversioned, Run(ZmtpSocketType.Pull, [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0]).Handshake.Error);
    }

    [Fact]
    public void The_reason_of_the_peer_s_ERROR_is_stored_and_not_answered()
    {
        byte[] error = Wire.Command("ERROR", Wire.Join([9], Wire.Ascii("no\r\n\u001b[1m!")));
        (ZmtpHandshake? handshake, Session? session) = Run(ZmtpSocketType.Pull, Wire.Join(Wire.Greeting(), error));
        Assert.Equal((ZmtpHandshakeState.Failed, ZmtpError.PeerRefused), (handshake.State, handshake.Error));
        Assert.Equal("no???[1m!", handshake.PeerReason);
        Assert.Equal(Wire.Join(Wire.Greeting(), Wire.Ready("PULL")), session.Sent);

        Assert.Equal("ab", Run(ZmtpSocketType.Pull, Wire.Join(Wire.Greeting(), Wire.Command("ERROR", 200, 97, 98))).Handshake.PeerReason);
        Assert.Equal("", Run(ZmtpSocketType.Pull, Wire.Join(Wire.Greeting(), Wire.Command("ERROR"))).Handshake.PeerReason);
    }

    [Fact]
    public void An_identity_of_a_type_that_has_none_is_ignored()
    {
        (ZmtpHandshake? handshake, Session _) = Run(ZmtpSocketType.Pub, Wire.Join(Wire.Greeting(), Wire.Ready("SUB", Wire.Property("Identity", 0, 1))));
        Assert.Equal(ZmtpHandshakeState.Active, handshake.State);
        Assert.True(handshake.Peer!.Identity.IsEmpty);
    }

    [Fact]
    public void Every_error_has_its_own_text_that_fits_an_ERROR_command()
    {
        string[] texts = [.. Enum.GetValues<ZmtpError>().Select(ZmtpErrors.Text)];
        Assert.Equal(texts.Length, texts.Distinct().Count());
        Assert.All(texts, text => Assert.InRange(text.Length, 1, 255));
        Assert.DoesNotContain(ZmtpErrors.Text((ZmtpError)(-1)), texts);
    }

    [Fact]
    public void Invalid_arguments_throw()
    {
        Assert.Throws<ArgumentException>(() => new ZmtpHandshakeOptions(ZmtpSocketType.Dealer, new byte[256]));
        Assert.Throws<ArgumentException>(() => new ZmtpHandshakeOptions(ZmtpSocketType.Sub, properties: [new("a b", "")]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ZmtpHandshakeOptions((ZmtpSocketType)99));
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Sub));
        Assert.Throws<ArgumentException>(() => handshake.Advance([], new byte[handshake.MaxOutputSize - 1]));
    }

    private static (ZmtpHandshake Handshake, Session Session) Run(ZmtpSocketType own, byte[] stream, NullMechanism? mechanism = null)
    {
        var handshake = new ZmtpHandshake(new ZmtpHandshakeOptions(own), mechanism ?? new NullMechanism());
        return (handshake, new Session(ZmtpLimits.Default, handshake).Feed(stream));
    }
}

using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>Tests RFC 24, PLAIN, on the wire.</summary>
public sealed class PlainHandshakeTests
{
    private static readonly byte[] Hello = Wire.Command("HELLO", [5, .. Wire.Ascii("alice"), 3, .. Wire.Ascii("pw1")]);
    private static readonly byte[] ServerReady = Wire.Ready("ROUTER", Wire.Property("Identity"));
    private static readonly byte[] ClientMetadata =
        Wire.Join(Wire.Property("Socket-Type", Wire.Ascii("DEALER")), Wire.Property("Identity", Wire.Ascii("me")));

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(int.MaxValue)]
    public void Both_sides_send_the_commands_of_the_RFC_for_any_split_of_the_octets(int piece)
    {
        Handshakes pair = new Handshakes(ZeroMqSecurity.PlainClient("alice", "pw1"), ZeroMqSecurity.PlainServer)
        {
            PieceSize = piece,
            Admit = shown => (shown.Username, shown.Password) == ("alice", "pw1"),
        }.Run();
        Assert.Equal((ZmtpHandshakeState.Active, ZmtpHandshakeState.Active), (pair.Client.State, pair.Server.State));
        byte[] serverGreeting = Wire.Greeting(mechanism: "PLAIN");
        serverGreeting[32] = 1;
        Assert.Equal(Wire.Join(Wire.Greeting(mechanism: "PLAIN"), Hello, Wire.Command("INITIATE", ClientMetadata)), Wire.Join([.. pair.ToServer]));
        Assert.Equal(Wire.Join(serverGreeting, Wire.Command("WELCOME"), ServerReady), Wire.Join([.. pair.ToClient]));
        Assert.Equal("me"u8, pair.Server.Peer!.Identity.Span);
        Assert.Null(pair.Server.TakeCipher(ZmtpLimits.Default));
    }

    [Fact]
    public void A_refused_client_gets_400_and_stores_it()
    {
        Handshakes pair = new Handshakes(ZeroMqSecurity.PlainClient("alice", "wrong"), ZeroMqSecurity.PlainServer) { Admit = _ => false }.Run();
        Assert.Equal((ZmtpHandshakeState.Failed, ZmtpError.NotAdmitted), (pair.Server.State, pair.Server.Error));
        Assert.Equal((ZmtpError.PeerRefused, "400"), (pair.Client.Error, pair.Client.PeerReason));
    }

    public static TheoryData<string, byte[], string> Malformed => new()
    {
        { "empty", Wire.Command("HELLO"), nameof(ZmtpError.PlainMalformed) },
        { "no password", Wire.Command("HELLO", 1, 97), nameof(ZmtpError.PlainMalformed) },
        { "username longer than the command", Wire.Command("HELLO", 9, 97), nameof(ZmtpError.PlainMalformed) },
        { "password longer than the command", Wire.Command("HELLO", 1, 97, 2, 98), nameof(ZmtpError.PlainMalformed) },
        { "something behind the password", Wire.Command("HELLO", 0, 0, 0), nameof(ZmtpError.PlainMalformed) },
        { "INITIATE before HELLO", Wire.Command("INITIATE", ClientMetadata), nameof(ZmtpError.CommandUnexpected) },
        { "READY", Wire.Ready("DEALER"), nameof(ZmtpError.CommandUnexpected) },
        { "HELLO twice", Wire.Join(Hello, Hello), nameof(ZmtpError.CommandUnexpected) },
        { "a message", Wire.Message([1]), nameof(ZmtpError.MessageDuringHandshake) },
        { "metadata cut", Wire.Join(Hello, Wire.Command("INITIATE", 9, 97)), nameof(ZmtpError.PropertyTruncated) },
    };

    [Theory]
    [MemberData(nameof(Malformed))]
    public void A_server_refuses_commands_that_the_RFC_does_not_allow(string what, byte[] stream, string expected)
    {
        Assert.NotEmpty(what);
        foreach (int piece in new[] { 1, 1000 })
        {
            var pair = new Handshakes(ZeroMqSecurity.Null, ZeroMqSecurity.PlainServer) { PieceSize = piece, Admit = _ => true };
            pair.Step(pair.Server, 1, Wire.Join(Wire.Greeting(mechanism: "PLAIN"), stream));
            Assert.Equal((ZmtpHandshakeState.Failed, expected), (pair.Server.State, pair.Server.Error.ToString()));
        }
    }

    [Fact]
    public void A_client_refuses_a_WELCOME_with_data_and_an_early_READY()
    {
        Assert.Equal(ZmtpError.PlainMalformed, ClientSees(Wire.Command("WELCOME", 1)));
        Assert.Equal(ZmtpError.CommandUnexpected, ClientSees(ServerReady));
        Assert.Equal(ZmtpError.CommandUnexpected, ClientSees(Wire.Join(Wire.Command("WELCOME"), Wire.Command("WELCOME"))));
    }

    [Fact]
    public void Names_and_passwords_of_255_octets_are_accepted_and_longer_ones_are_refused()
    {
        Handshakes pair = new Handshakes(ZeroMqSecurity.PlainClient(new string('u', 255), ""), ZeroMqSecurity.PlainServer)
        {
            Admit = shown => shown.Username!.Length == 255 && shown.Password!.Length == 0,
        }.Run();
        Assert.Equal(ZmtpHandshakeState.Active, pair.Client.State);
        Assert.Throws<ArgumentException>(() => ZeroMqSecurity.PlainClient(new string('ü', 128), ""));
        Assert.Throws<ArgumentException>(() => ZeroMqSecurity.PlainClient("", new string('p', 256)));
    }

    private static ZmtpError ClientSees(byte[] stream)
    {
        var pair = new Handshakes(ZeroMqSecurity.PlainClient("alice", "pw1"), ZeroMqSecurity.PlainServer);
        pair.Step(pair.Client, 0, Wire.Join(Wire.Greeting(mechanism: "PLAIN"), stream));
        return pair.Client.Error;
    }
}

using Broker.ZeroMq.Tests.Zmtp;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>
/// Tests RFC 26, the handshake of CURVE, between two of our own mechanisms. <see cref="LibzmqSecurityTests"/> tests it
/// with libzmq.
/// </summary>
public sealed class CurveHandshakeTests
{
    private const int GreetingSize = 64;
    private const int HelloSize = 2 + 200;
    private const int WelcomeSize = 2 + 168;

    // HELLO consists of a name, two version octets, padding and data. RFC 26 does not allow checks of the padding.
    private const int PaddingStart = 2 + 6 + 2;
    private const int PaddingEnd = PaddingStart + 72;

    [Theory]
    [InlineData(1)]
    [InlineData(63)]
    [InlineData(int.MaxValue)]
    public void Client_and_server_agree_for_any_split_of_the_octets(int piece)
    {
        Handshakes pair = new Handshakes(Curve.Client, Curve.Server, asks: true)
        {
            PieceSize = piece,
            Admit = shown => shown.PublicKey.AsSpan().SequenceEqual(Curve.ClientKeys.PublicKey.Octets),
        }.Run();
        Assert.Equal((ZmtpHandshakeState.Active, ZmtpHandshakeState.Active), (pair.Client.State, pair.Server.State));
        Assert.Equal((ZmtpSocketType.Router, ZmtpSocketType.Dealer), (pair.Client.Peer!.SocketType, pair.Server.Peer!.SocketType));
        Assert.Equal("me"u8, pair.Server.Peer.Identity.Span);
    }

    [Fact]
    public void Metadata_and_long_term_keys_are_never_visible_on_the_wire()
    {
        Handshakes pair = new Handshakes(Curve.Client, Curve.Server).Run();
        byte[] wire = Wire.Join([.. pair.ToServer, .. pair.ToClient]);
        Assert.Equal(-1, wire.AsSpan().IndexOf("Socket-Type"u8));
        Assert.Equal(-1, wire.AsSpan().IndexOf(Curve.ClientKeys.PublicKey.Octets));
        Assert.Equal(-1, wire.AsSpan().IndexOf(Curve.ServerKeys.PublicKey.Octets));
    }

    [Fact]
    public void HELLO_is_at_least_as_large_as_WELCOME()
    {
        Handshakes pair = new Handshakes(Curve.Client, Curve.Server).Run();
        Assert.Equal([HelloSize, WelcomeSize], [pair.ToServer[1].Length, pair.ToClient[1].Length]);
    }

    [Fact]
    public void Every_changed_octet_ends_the_handshake()
    {
        Handshakes recorded = new Handshakes(Curve.Client, Curve.Server).Run();
        for (int turn = 0; turn < recorded.ToServer.Count; turn++)
        {
            foreach (bool toServer in new[] { true, false })
            {
                int from = turn == 0 ? GreetingSize : 0;
                int length = (toServer ? recorded.ToServer : recorded.ToClient)[turn].Length;
                for (int at = from; at < length; at++)
                {
                    int changed = at;
                    int when = turn;
                    var pair = new Handshakes(Curve.Client, Curve.Server)
                    {
                        Between = (t, s, bytes) => (t, s) == (when, toServer) ? Flip(bytes, changed) : bytes,
                    };
                    pair.Run();
                    bool isPadding = toServer && length - from == HelloSize && at - from is >= PaddingStart and < PaddingEnd;
                    Assert.Equal(isPadding, pair.Client.State == ZmtpHandshakeState.Active && pair.Server.State == ZmtpHandshakeState.Active);
                }
            }
        }
    }

    [Fact]
    public void Every_truncated_command_ends_the_handshake()
    {
        byte[] clientGreeting = Wire.Greeting(mechanism: "CURVE");
        foreach (int missing in new[] { 1, 2, 15, 16, 17, 64, 100, 150, 199, 200 })
        {
            foreach (string name in new[] { "HELLO", "INITIATE" })
            {
                var pair = new Handshakes(Curve.Client, Curve.Server);
                if (name == "HELLO")
                {
                    pair.Step(pair.Server, 1, Wire.Join(clientGreeting, Wire.Command(name, new byte[200 - 6 - Math.Min(missing, 194)])));
                }
                else
                {
                    pair.Step(pair.Server, 1, pair.Step(pair.Client, 0, [.. clientGreeting[..32], 1, .. clientGreeting[33..]]));
                    pair.Step(pair.Server, 1, Wire.Command(name, new byte[Math.Max(0, 248 - missing)]));
                }

                Assert.Equal((ZmtpHandshakeState.Failed, ZmtpError.CurveMalformed), (pair.Server.State, pair.Server.Error));
            }
        }
    }

    [Fact]
    public void A_client_with_another_server_s_key_gets_no_answer()
    {
        var other = CurveKeyPair.Generate(Curve.Cryptography);
        Handshakes pair = new Handshakes(ZeroMqSecurity.CurveClient(Curve.ClientKeys, other.PublicKey), Curve.Server).Run();
        Assert.Equal(ZmtpError.CurveNotGenuine, pair.Server.Error);
        Assert.Equal(ZmtpError.PeerRefused, pair.Client.Error);
    }

    [Fact]
    public void A_recorded_handshake_is_useless_on_another_connection()
    {
        Handshakes recorded = new Handshakes(Curve.Client, Curve.Server).Run();
        var victim = new Handshakes(Curve.Client, Curve.Server);
        foreach (byte[] said in recorded.ToServer)
        {
            victim.Step(victim.Server, 1, said);
        }

        Assert.Equal((ZmtpHandshakeState.Failed, ZmtpError.CurveNotGenuine), (victim.Server.State, victim.Server.Error));
    }

    [Fact]
    public void A_second_INITIATE_is_refused()
    {
        var recorded = new Handshakes(Curve.Client, Curve.Server, asks: true) { Admit = _ => true };
        byte[] first = recorded.Step(recorded.Client, 0, []);
        byte[] welcome = recorded.Step(recorded.Server, 1, first);
        byte[] rest = recorded.Step(recorded.Client, 0, welcome);
        byte[] broken = Flip(rest, rest.Length - 1);
        recorded.Step(recorded.Server, 1, Wire.Join(broken, rest));
        Assert.Equal((ZmtpHandshakeState.Failed, ZmtpError.CurveNotGenuine), (recorded.Server.State, recorded.Server.Error));
    }

    [Theory]
    [InlineData("0000000000000000000000000000000000000000000000000000000000000000")]
    [InlineData("0100000000000000000000000000000000000000000000000000000000000000")]
    [InlineData("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")]
    [InlineData("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")]
    public void A_public_key_of_low_order_is_refused(string key)
    {
        byte[] hello = Wire.Command("HELLO", [1, 0, .. new byte[72], .. Convert.FromHexString(key), .. new byte[88]]);
        var pair = new Handshakes(Curve.Client, Curve.Server);
        pair.Step(pair.Server, 1, Wire.Join(Wire.Greeting(mechanism: "CURVE"), hello));
        Assert.Equal(ZmtpError.CurveNotGenuine, pair.Server.Error);
    }

    [Fact]
    public void Another_version_of_CURVE_is_refused()
    {
        var pair = new Handshakes(Curve.Client, Curve.Server);
        pair.Step(pair.Server, 1, Wire.Join(Wire.Greeting(mechanism: "CURVE"), Wire.Command("HELLO", [2, 0, .. new byte[192]])));
        Assert.Equal(ZmtpError.CurveMalformed, pair.Server.Error);
    }

    [Theory]
    [InlineData("NULL")]
    [InlineData("PLAIN")]
    [InlineData("GSSAPI")]
    public void A_peer_with_another_mechanism_gets_only_the_greeting(string mechanism)
    {
        var pair = new Handshakes(Curve.Client, Curve.Server);
        byte[] said = pair.Step(pair.Server, 1, Wire.Join(Wire.Greeting(mechanism: mechanism), Wire.Ready("DEALER"), Wire.Message([1])));
        Assert.Equal((ZmtpError.MechanismMismatch, GreetingSize), (pair.Server.Error, said.Length));
    }

    private static byte[] Flip(byte[] bytes, int at)
    {
        byte[] changed = [.. bytes];
        changed[at] ^= 1;
        return changed;
    }
}

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>A client and a server in memory. The test carries the octets between them.</summary>
internal sealed class Handshakes
{
    private readonly byte[][] _held = [[], []];
    private readonly bool[] _started = [false, false];

    public Handshakes(ZeroMqSecurity client, ZeroMqSecurity server, bool asks = false)
    {
        Client = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Dealer, "me"u8.ToArray()), client.Create(asks: false, binds: false));
        Server = new ZmtpHandshake(new ZmtpHandshakeOptions(ZmtpSocketType.Router), server.Create(asks, binds: true));
    }

    public ZmtpHandshake Client { get; }

    public ZmtpHandshake Server { get; }

    /// <summary>The octets that each side sent, in alternating order.</summary>
    public List<byte[]> ToServer { get; } = [];

    public List<byte[]> ToClient { get; } = [];

    /// <summary>
    /// Returns whether the application admits the peer. If it is null, the test reads <see
    /// cref="ZmtpHandshake.Credentials"/> and decides.
    /// </summary>
    public Func<ZmtpCredentials, bool>? Admit { get; init; }

    /// <summary>
    /// Changes octets in transit. It gets the number of the step and whether the octets go to the server.
    /// </summary>
    public Func<int, bool, byte[], byte[]>? Between { get; init; }

    public int PieceSize { get; init; } = int.MaxValue;

    /// <summary>Carries octets until both sides send nothing more.</summary>
    public Handshakes Run()
    {
        for (int turn = 0; turn < 20; turn++)
        {
            byte[] toServer = Step(Client, 0, Last(ToClient, turn));
            ToServer.Add(Between?.Invoke(turn, true, toServer) ?? toServer);
            byte[] toClient = Step(Server, 1, ToServer[^1]);
            ToClient.Add(Between?.Invoke(turn, false, toClient) ?? toClient);
            if (ToServer[^1].Length + ToClient[^1].Length == 0)
            {
                break;
            }
        }

        return this;
    }

    /// <summary>Passes octets to one side in pieces and returns the octets that the side sends.</summary>
    public byte[] Step(ZmtpHandshake side, int index, byte[] received)
    {
        var sent = new List<byte>();
        if (!_started[index])
        {
            _started[index] = true;
            Advance(side, index, [], sent);
        }

        for (int at = 0; at < received.Length; at += Math.Min(PieceSize, received.Length - at))
        {
            Advance(side, index, received[at..(at + Math.Min(PieceSize, received.Length - at))], sent);
        }

        return [.. sent];
    }

    private static byte[] Last(List<byte[]> turns, int turn) => turn == 0 ? [] : turns[^1];

    private void Advance(ZmtpHandshake side, int index, byte[] received, List<byte> sent)
    {
        byte[] output = new byte[side.MaxOutputSize];
        _held[index] = [.. _held[index], .. received];
        bool again = true;
        while (again && side.State is not (ZmtpHandshakeState.Active or ZmtpHandshakeState.Failed))
        {
            ZmtpHandshakeStep step = side.Advance(_held[index], output);
            sent.AddRange(output.AsSpan(0, step.Written));
            _held[index] = _held[index][step.Consumed..];
            again = step.State == ZmtpHandshakeState.Admission || step.Consumed > 0;
            if (step.State == ZmtpHandshakeState.Admission)
            {
                int written = Admit!(side.Credentials) ? side.Admit(output) : side.Deny("400", output);
                sent.AddRange(output.AsSpan(0, written));
            }
        }
    }
}

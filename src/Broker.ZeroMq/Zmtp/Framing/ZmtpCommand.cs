using System.Buffers;

namespace Broker.ZeroMq.Zmtp.Framing;

/// <summary>A command: name length, name, data (RFC 37). Borrows the frame's body.</summary>
internal readonly ref struct ZmtpCommand
{
    private static readonly SearchValues<byte> Letters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"u8);

    private ZmtpCommand(ZmtpCommandKind kind, ReadOnlySpan<byte> name, ReadOnlySpan<byte> data)
    {
        Kind = kind;
        Name = name;
        Data = data;
    }

    /// <summary>Which command this is, by exact name.</summary>
    public ZmtpCommandKind Kind { get; }

    /// <summary>The name, 1 to 255 letters.</summary>
    public ReadOnlySpan<byte> Name { get; }

    /// <summary>What follows the name.</summary>
    public ReadOnlySpan<byte> Data { get; }

    /// <summary>Parses a command frame's body. False when the name is empty, longer than the body, or not made of letters.</summary>
    public static bool TryParse(ReadOnlySpan<byte> body, out ZmtpCommand command)
    {
        command = default;
        if (body.IsEmpty || body[0] == 0 || body[0] >= body.Length)
        {
            return TryParseMangledError(body, out command);
        }

        int end = 1 + body[0];
        var name = body[1..end];
        var kind = KindOf(name);
        if (kind == ZmtpCommandKind.Unknown && name.ContainsAnyExcept(Letters))
        {
            return false;
        }

        command = new ZmtpCommand(kind, name, body[end..]);
        return true;
    }

    /// <summary>The time-to-live and context of a PING.</summary>
    /// <param name="ttlDeciseconds">Tenths of a second after which silence means death, or 0 for no such hint.</param>
    /// <param name="context">0 to 16 octets that the PONG must echo; borrows <see cref="Data"/>.</param>
    public ZmtpError ReadPing(out ushort ttlDeciseconds, out ReadOnlySpan<byte> context)
    {
        const int TtlSize = sizeof(ushort);
        ttlDeciseconds = 0;
        context = default;
        if (Data.Length is < TtlSize or > TtlSize + ZmtpCommandWriter.MaxPingContext)
        {
            return ZmtpError.PingMalformed;
        }

        ttlDeciseconds = (ushort)((Data[0] << 8) | Data[1]);
        context = Data[TtlSize..];
        return ZmtpError.None;
    }

    /// <summary>The reason of an ERROR: as much as is there, for a reason that is cut short is still a refusal.</summary>
    public ReadOnlySpan<byte> ReadErrorReason() => Data.IsEmpty ? default : Data.Slice(1, Math.Min(Data[0], Data.Length - 1));

    // libzmq 4.3.4 writes the ERROR of PLAIN with one octet, 5E, where the length 5 and the letter E belong. That length would be 94.
    private static bool TryParseMangledError(ReadOnlySpan<byte> body, out ZmtpCommand command)
    {
        ReadOnlySpan<byte> mangled = "^RROR"u8;
        bool isError = body.StartsWith(mangled);
        command = isError ? new ZmtpCommand(ZmtpCommandKind.Error, "ERROR"u8, body[mangled.Length..]) : default;
        return isError;
    }

    private static ZmtpCommandKind KindOf(ReadOnlySpan<byte> name) => name.Length switch
    {
        4 when name.SequenceEqual("PING"u8) => ZmtpCommandKind.Ping,
        4 when name.SequenceEqual("PONG"u8) => ZmtpCommandKind.Pong,
        5 when name.SequenceEqual("READY"u8) => ZmtpCommandKind.Ready,
        5 when name.SequenceEqual("ERROR"u8) => ZmtpCommandKind.Error,
        5 when name.SequenceEqual("HELLO"u8) => ZmtpCommandKind.Hello,
        6 when name.SequenceEqual("CANCEL"u8) => ZmtpCommandKind.Cancel,
        7 when name.SequenceEqual("WELCOME"u8) => ZmtpCommandKind.Welcome,
        7 when name.SequenceEqual("MESSAGE"u8) => ZmtpCommandKind.Message,
        8 when name.SequenceEqual("INITIATE"u8) => ZmtpCommandKind.Initiate,
        9 when name.SequenceEqual("SUBSCRIBE"u8) => ZmtpCommandKind.Subscribe,
        _ => ZmtpCommandKind.Unknown,
    };
}

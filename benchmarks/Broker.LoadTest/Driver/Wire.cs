namespace Broker.LoadTest.Driver;

/// <summary>The protocol lines that the driver sends or expects.</summary>
internal static class Wire
{
    // protocol 0: newer servers send a second INFO to clients of protocol 1, which would spoil the byte counts.
    public static ReadOnlySpan<byte> Hello
        => "CONNECT {\"verbose\":false,\"pedantic\":false,\"lang\":\"loadtest\",\"version\":\"1\",\"protocol\":0,\"headers\":true}\r\nPING\r\n"u8;

    public static ReadOnlySpan<byte> Ping => "PING\r\n"u8;

    public static ReadOnlySpan<byte> Pong => "PONG\r\n"u8;

    /// <summary>The bytes that PING and PONG lines have in common. No payload of the driver contains them.</summary>
    public static ReadOnlySpan<byte> ControlTail => "NG\r\n"u8;

    public static ReadOnlySpan<byte> Error => "-ERR"u8;

    public static ReadOnlySpan<byte> Info => "INFO "u8;

    public static ReadOnlySpan<byte> Message => "MSG "u8;

    public static ReadOnlySpan<byte> Crlf => "\r\n"u8;
}

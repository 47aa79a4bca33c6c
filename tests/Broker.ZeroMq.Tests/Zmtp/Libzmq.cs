namespace Broker.ZeroMq.Tests.Zmtp;

/// <summary>Octets that libzmq 4.3.4 sent on a TCP connection, captured by a raw peer.</summary>
internal static class Libzmq
{
    /// <summary>The greeting without an identity. Its padding contains the length 1 for ZMTP/1.0 peers.</summary>
    public static readonly byte[] Greeting = Wire.Hex(
        "ff00000000000000017f03014e554c4c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000");

    public static readonly byte[] SubReady = Wire.Hex("04190552454144590b536f636b65742d5479706500000003535542");

    public static readonly byte[] XPubReady = Wire.Hex("041a0552454144590b536f636b65742d547970650000000458505542");

    public static readonly byte[] PushReady = Wire.Hex("041a0552454144590b536f636b65742d547970650000000450555348");

    public static readonly byte[] ReqReady = Wire.Hex(
        "04260552454144590b536f636b65742d5479706500000003524551084964656e7469747900000000");

    /// <summary>The greeting with ZMQ_IDENTITY worker-1 and ZMQ_METADATA X-Zone:eu-1.</summary>
    public static readonly byte[] DealerGreeting = Wire.Hex(
        "ff00000000000000097f03014e554c4c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000");

    public static readonly byte[] DealerReady = Wire.Hex(
        "04400552454144590b536f636b65742d54797065000000064445414c4552084964656e7469747900000008776f726b65722d3106582d5a6f6e650000000465752d31");

    /// <summary>The greeting and the HELLO of a PLAIN client that has received a PLAIN greeting.</summary>
    public static readonly byte[] PlainClient = Wire.Hex(
        "ff00000000000000017f0301504c41494e0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000040a0548454c4c4f01750170");

    /// <summary>The subscriptions to a peer of 3.1: SUBSCRIBE "", SUBSCRIBE "abc", CANCEL "abc".</summary>
    public static readonly byte[] Subscriptions31 = Wire.Hex("040a09535542534352494245 040d09535542534352494245616263 040a0643414e43454c616263");

    /// <summary>The same subscriptions to a peer of 3.0.</summary>
    public static readonly byte[] Subscriptions30 = Wire.Hex("000101 000401616263 000400616263");

    /// <summary>SUBSCRIBE with a topic of 250 octets: the length has 8 octets, and the LONG bit is missing.</summary>
    public static readonly byte[] MislabelledSubscribe =
        Wire.Join(Wire.Hex("04 0000000000000104 09535542534352494245"), Wire.Filled(250, (byte)'q'));

    /// <summary>Messages of a PUB: ["key", "body"], then ["kL", 256 octets].</summary>
    public static readonly byte[] Published = Wire.Join(Wire.Hex("01036b6579 0004626f6479 01026b4c 020000000000000100"), Wire.Filled(256));

    /// <summary>A message of a PUSH with five frames: "a", "", 300 x, 255 b, "c".</summary>
    public static readonly byte[] FiveFrames = Wire.Join(
        Wire.Hex("010161 0100 03000000000000012c"), Wire.Filled(300), Wire.Hex("01ff"), Wire.Filled(255, (byte)'b'), Wire.Hex("000163"));

    /// <summary>A message of a REQ: "hello" after its empty delimiter.</summary>
    public static readonly byte[] Request = Wire.Hex("0100 000568656c6c6f");

    /// <summary>A PING with ZMQ_HEARTBEAT_TTL of 2 s.</summary>
    public static readonly byte[] Ping = Wire.Hex("04070450494e470014");

    /// <summary>The answer to a PING with the context "ctx".</summary>
    public static readonly byte[] Pong = Wire.Hex("040804504f4e47637478");
}

namespace Broker.Protocol;

/// <summary>
/// The verbs of the protocol. A verb is given by its first four letters in lower case, as a little-endian integer. A
/// verb of three letters is given by its three letters.
/// </summary>
internal static class Verb
{
    internal const uint LowerCase = 0x20202020;
    internal const uint ThreeLetters = 0x00FFFFFF;

    internal const uint Pub = 'p' | ('u' << 8) | ('b' << 16);
    internal const uint Hpub = 'h' | ('p' << 8) | ('u' << 16) | ((uint)'b' << 24);
    internal const uint Sub = 's' | ('u' << 8) | ('b' << 16);
    internal const uint Unsu = 'u' | ('n' << 8) | ('s' << 16) | ((uint)'u' << 24);
    internal const uint Conn = 'c' | ('o' << 8) | ('n' << 16) | ((uint)'n' << 24);
    internal const uint Msg = 'm' | ('s' << 8) | ('g' << 16);
    internal const uint Hmsg = 'h' | ('m' << 8) | ('s' << 16) | ((uint)'g' << 24);
    internal const uint Info = 'i' | ('n' << 8) | ('f' << 16) | ((uint)'o' << 24);
    internal const uint Ping = 'p' | ('i' << 8) | ('n' << 16) | ((uint)'g' << 24);
    internal const uint Pong = 'p' | ('o' << 8) | ('n' << 16) | ((uint)'g' << 24);
    internal const uint Ok = '+' | ('o' << 8) | ('k' << 16);
    internal const uint Err = '-' | ('e' << 8) | ('r' << 16) | ((uint)'r' << 24);
}

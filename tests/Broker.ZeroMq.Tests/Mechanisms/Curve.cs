using Broker.Cryptography;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>CURVE keys for tests.</summary>
internal static class Curve
{
    public static CurveCryptography Cryptography { get; } = new();

    public static CurveKeyPair ServerKeys { get; } = CurveKeyPair.Generate(Cryptography);

    public static CurveKeyPair ClientKeys { get; } = CurveKeyPair.Generate(Cryptography);

    public static ZeroMqSecurity Server => ZeroMqSecurity.CurveServer(ServerKeys);

    public static ZeroMqSecurity Client => ZeroMqSecurity.CurveClient(ClientKeys, ServerKeys.PublicKey);
}

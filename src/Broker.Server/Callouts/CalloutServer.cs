namespace Broker.Server;

/// <summary>The parts of a server that its auth callout uses.</summary>
/// <param name="Keys">The key pairs of the server.</param>
/// <param name="Verifier">The verifier of signatures.</param>
/// <param name="Time">The clock.</param>
/// <param name="Name">The name of the server.</param>
/// <param name="Host">The address of the server.</param>
/// <param name="Version">The version in INFO.</param>
/// <param name="Open">Adds a target to an account.</param>
internal sealed record CalloutServer(
    IServerKeys Keys, ISignatureVerifier Verifier, TimeProvider Time, string Name, string Host, string Version, Func<string, IMessageTargetHandler, MessageTarget> Open);

namespace Broker.Server;

/// <summary>The reason why a JWT is refused. The message names the claim and contains no secret.</summary>
internal sealed class JwtException(string reason) : Exception(reason);

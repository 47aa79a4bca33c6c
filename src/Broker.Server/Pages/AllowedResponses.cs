namespace Broker.Server;

/// <summary>The responses in <see cref="UserPermissions"/> that a user may publish. Ttl is in nanoseconds.</summary>
internal sealed record AllowedResponses(int Max, long Ttl);

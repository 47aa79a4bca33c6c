namespace Broker.AspNetCore;

/// <summary>The response of <c>/healthz</c>.</summary>
internal sealed record Healthz(string Status)
{
    public string? Error { get; init; }
}

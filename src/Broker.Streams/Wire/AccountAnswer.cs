namespace Broker.Streams;

/// <summary>The use and the limits of an account.</summary>
internal sealed class AccountAnswer : ApiAnswer
{
    public long Memory { get; init; }

    public long Storage { get; init; }

    public long ReservedMemory { get; init; }

    public long ReservedStorage { get; init; }

    public int Streams { get; init; }

    public int Consumers { get; init; }

    public AccountLimits Limits { get; init; } = new();

    public string? Domain { get; init; }

    public AccountRequests Api { get; init; } = new();
}

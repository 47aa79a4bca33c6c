namespace Broker.Cli.ServiceManagers;

/// <summary>What a service is installed as. No record: it would print the password.</summary>
internal sealed class ServiceDefinition(string name, string commandLine)
{
    public string Name => name;

    public string CommandLine => commandLine;

    public required string DisplayName { get; init; }

    public required string Description { get; init; }

    public ServiceStart Start { get; init; }

    /// <summary>Whom it runs as; null for the system's own account.</summary>
    public string? Account { get; init; }

    public string? Password { get; init; }

    /// <summary>How long a shutdown of Windows waits for it.</summary>
    public TimeSpan PreShutdown { get; init; }
}

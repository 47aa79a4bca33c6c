namespace Broker.Cli.ServiceManagers;

/// <summary>
/// The definition of a service to install. It is not a record, because ToString would contain the password.
/// </summary>
internal sealed class ServiceDefinition(string name, string commandLine)
{
    public string Name => name;

    public string CommandLine => commandLine;

    public required string DisplayName { get; init; }

    public required string Description { get; init; }

    public ServiceStart Start { get; init; }

    /// <summary>The account that runs the service, or null for the local system.</summary>
    public string? Account { get; init; }

    public string? Password { get; init; }

    /// <summary>The time that Windows waits for the service at a shutdown.</summary>
    public TimeSpan PreShutdown { get; init; }
}

using System.Runtime.Versioning;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.EventLog;
using Microsoft.Win32;

namespace Broker.Cli.ServiceManagers;

/// <summary>The Windows event log of a service: it receives the start and end, warnings and errors.</summary>
[SupportedOSPlatform("windows")]
internal static class ServiceEvents
{
    /// <summary>The log category for the start, the end and the errors of a run.</summary>
    public const string Run = "broker";

    private const string Sources = @"SYSTEM\CurrentControlSet\Services\EventLog\Application\";

    // This file of Windows has the text "%1" for every event id, so the event viewer shows the written text.
    private const string Texts = @"%SystemRoot%\Microsoft.NET\Framework64\v4.0.30319\EventLogMessages.dll";

    /// <summary>Returns a log provider that writes to the event log as the source <paramref name="service"/>.</summary>
    public static ILoggerProvider Open(string service)
        => new EventLogLoggerProvider(new EventLogSettings
        {
            SourceName = service,
            LogName = "Application",
            Filter = static (category, level) =>
                level >= LogLevel.Warning || (category == Run && level >= LogLevel.Information),
        });

    /// <summary>Registers the source, so that the event viewer shows its texts.</summary>
    public static void Register(string service)
    {
        using RegistryKey source = Registry.LocalMachine.CreateSubKey(Sources + service);
        source.SetValue("EventMessageFile", Texts, RegistryValueKind.ExpandString);
        source.SetValue("TypesSupported", 7, RegistryValueKind.DWord);
    }

    public static void Unregister(string service)
        => Registry.LocalMachine.DeleteSubKeyTree(Sources + service, throwOnMissingSubKey: false);
}

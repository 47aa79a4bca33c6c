using System.Runtime.Versioning;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.EventLog;
using Microsoft.Win32;

namespace Broker.Cli.ServiceManagers;

/// <summary>The event log of Windows, which a service without a terminal speaks to: its start and end, warnings and errors.</summary>
[SupportedOSPlatform("windows")]
internal static class ServiceEvents
{
    /// <summary>The category that a run tells its start, its end and its problems under.</summary>
    public const string Run = "broker";

    private const string Sources = @"SYSTEM\CurrentControlSet\Services\EventLog\Application\";

    // A part of Windows, with the text "%1" for every number: what is written is shown as it is.
    private const string Texts = @"%SystemRoot%\Microsoft.NET\Framework64\v4.0.30319\EventLogMessages.dll";

    /// <summary>Loggers that write to the log as the source <paramref name="service"/>.</summary>
    public static ILoggerProvider Open(string service)
        => new EventLogLoggerProvider(new EventLogSettings
        {
            SourceName = service,
            LogName = "Application",
            Filter = static (category, level) => level >= LogLevel.Warning || (category == Run && level >= LogLevel.Information),
        });

    /// <summary>Makes the source known, so that the viewer shows its texts.</summary>
    public static void Register(string service)
    {
        using RegistryKey source = Registry.LocalMachine.CreateSubKey(Sources + service);
        source.SetValue("EventMessageFile", Texts, RegistryValueKind.ExpandString);
        source.SetValue("TypesSupported", 7, RegistryValueKind.DWord);
    }

    public static void Unregister(string service) => Registry.LocalMachine.DeleteSubKeyTree(Sources + service, throwOnMissingSubKey: false);
}

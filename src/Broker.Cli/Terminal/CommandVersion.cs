using System.Reflection;

namespace Broker.Cli.Terminal;

/// <summary>The version of the command, without the commit that a build may append.</summary>
internal static class CommandVersion
{
    public static string Text { get; } =
        typeof(CommandVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion.Split('+')[0] ?? "0.0.0";
}

using System.Globalization;
using System.Text.RegularExpressions;

namespace Broker.Cli.Tests.Auth;

/// <summary>Runs the lines of docs/operators.md as they are printed.</summary>
public sealed partial class OperatorsPageTests : IDisposable
{
    private readonly StoreFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Ten_lines_lead_from_nothing_to_a_user_who_may_only_publish()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the lines are those of a Unix shell");
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "operators.md"), TestContext.Current.CancellationToken);
        string lines = Lines().Match(page).Groups[1].Value;
        Assert.InRange(lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length, 5, 10);
        int port = FreePort.Next();

        (_, string output, string error) = await Script.RunAsync(
            lines, _folder.Path, string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}"), string.Create(CultureInfo.InvariantCulture, $"-p {port}"));

        Assert.True(output.Contains("to plant.pump1", StringComparison.Ordinal), output + error);
        Assert.Contains("Permissions Violation for Publish to \"office.lamp\"", error, StringComparison.Ordinal);
        Assert.Contains("Permissions Violation for Subscription to \"plant.>\"", error, StringComparison.Ordinal);
    }

    [GeneratedRegex("```sh\n(.*?)```", RegexOptions.Singleline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Lines();
}

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
        string lines = (await ReadLinesAsync())[0];
        Assert.InRange(lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length, 5, 10);

        (string output, string error) = await RunAsync(lines);

        Assert.True(output.Contains("to plant.pump1", StringComparison.Ordinal), output + error);
        Assert.Contains("Permissions Violation for Publish to \"office.lamp\"", error, StringComparison.Ordinal);
        Assert.Contains("Permissions Violation for Subscription to \"plant.>\"", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Further_lines_lead_to_two_accounts_that_share_a_subject()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the lines are those of a Unix shell");
        string[] lines = await ReadLinesAsync();

        _ = await RunAsync(lines[0]);
        (string output, string error) = await RunAsync(lines[1]);

        Assert.True(output.Contains("alarms.pump1", StringComparison.Ordinal) && output.Contains("too hot", StringComparison.Ordinal), output + error);
    }

    private static async Task<string[]> ReadLinesAsync()
    {
        string page = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "docs", "operators.md"), TestContext.Current.CancellationToken);
        return [.. Lines().Matches(page).Select(static m => m.Groups[1].Value)];
    }

    private async Task<(string Output, string Error)> RunAsync(string lines)
    {
        int port = FreePort.Next();
        (_, string output, string error) = await Script.RunAsync(
            lines, _folder.Path, string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{port}"), string.Create(CultureInfo.InvariantCulture, $"-p {port}"));
        return (output, error);
    }

    [GeneratedRegex("```sh\n(.*?)```", RegexOptions.Singleline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Lines();
}

using System.Text.RegularExpressions;
using Broker.Cli.Configuration;

namespace Broker.Cli.Tests.Documentation;

/// <summary>Reads each configuration of docs/leaf.md as it is printed, with existing files.</summary>
public sealed partial class LeafPageTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    public static TheoryData<string> Blocks
        => [.. Fences().Matches(File.ReadAllText(Path.Combine(Repository.Root, "docs", "leaf.md"))).Select(static m => m.Groups[1].Value)];

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void There_are_blocks_of_both_sides() => Assert.True(Blocks.Count >= 4);

    [Theory]
    [MemberData(nameof(Blocks))]
    public void A_block_of_the_page_is_a_valid_configuration(string text)
    {
        (string certificate, string key) = TestCertificates.WriteSelfSigned(_folder.Path);
        string seed = _folder.Write("edge.creds", "SUAAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYPSAIJCEMSCKJR2OM\n");
        text = text.Replace("/etc/broker/hub.pem", certificate, StringComparison.Ordinal)
            .Replace("/etc/broker/hub.key", key, StringComparison.Ordinal)
            .Replace("/etc/broker/edge.creds", seed, StringComparison.Ordinal)
            .Replace('\\', '/');

        ServeSettings settings = ServeConfig.Bind(Configuration.Parsing.Parse("accounts { A { } }\n" + text), new ServeSettings());

        Assert.NotNull(settings.LeafNodes);
    }

    [GeneratedRegex("^```\n(leafnodes .*?)^```", RegexOptions.Multiline | RegexOptions.Singleline | RegexOptions.CultureInvariant, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex Fences();
}

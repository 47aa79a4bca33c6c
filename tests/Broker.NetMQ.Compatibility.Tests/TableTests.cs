namespace Broker.NetMQ.Compatibility.Tests;

/// <summary>docs/netmq-compat.md says what became of each public member of NetMQ, and says the truth.</summary>
public sealed class TableTests
{
    private static readonly string Page = Path.Combine(Repository.Root, "docs", "netmq-compat.md");

    private readonly CompatibilityTable _table = new();

    [Fact]
    public void The_table_has_each_member_of_NetMQ_with_the_truth_about_it()
    {
        string present = File.ReadAllText(Page);
        int begin = present.IndexOf(CompatibilityTable.Begin, StringComparison.Ordinal);
        string wanted = present[..begin] + _table.Write(present);
        if (Environment.GetEnvironmentVariable("WRITE_TABLE") == "1")
        {
            File.WriteAllText(Page, wanted);
        }

        Assert.DoesNotContain("NO REASON", wanted, StringComparison.Ordinal);
        Assert.Equal(wanted, present);
    }

    // A program that uses such a member would not compile on NetMQ.
    [Fact]
    public void Our_package_adds_no_member()
        => Assert.Empty(_table.Added);
}

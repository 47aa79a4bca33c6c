using System.Globalization;
using System.Text;

namespace Broker.Server.Tests.Sampling;

/// <summary>The table of sampled subjects.</summary>
public sealed class SubjectSamplerTests
{
    [Fact]
    public void A_subject_with_much_traffic_stays_among_very_many_with_little()
    {
        var sampler = new SubjectSampler(1);
        for (int i = 0; i < 100_000; i++)
        {
            sampler.Add("A", Bytes(i % 20 == 0 ? "much" : string.Create(CultureInfo.InvariantCulture, $"little.{i}")), 10);
        }

        List<SubjectSampler.Row> rows = Rows(sampler);
        Assert.Equal(SubjectSampler.Capacity, rows.Count);
        SubjectSampler.Row much = Assert.Single(rows, static r => r.Subject == "much");
        Assert.Equal(("A", false, 5_000L, 50_000L), (much.Account, much.IsCut, much.Samples, much.Payload));
        Assert.Equal(much.Weight, rows.Max(static r => r.Weight));
    }

    [Fact]
    public void Subjects_of_the_past_lose_their_places()
    {
        var sampler = new SubjectSampler(1);
        for (int i = 0; i < 100_000; i++)
        {
            sampler.Add("A", Bytes(string.Create(CultureInfo.InvariantCulture, $"old.{i % SubjectSampler.Capacity}")), 1);
        }

        for (int i = 0; i < 200_000; i++)
        {
            sampler.Add("A", Bytes(string.Create(CultureInfo.InvariantCulture, $"new.{i % 10}")), 1);
        }

        List<SubjectSampler.Row> rows = Rows(sampler);
        Assert.All(
            rows.OrderByDescending(static r => r.Weight).Take(10),
            static r => Assert.StartsWith("new.", r.Subject, StringComparison.Ordinal));
    }

    [Fact]
    public void Accounts_have_rows_of_their_own_and_long_subjects_are_cut()
    {
        var sampler = new SubjectSampler(1);
        sampler.Add("A", "s"u8, 1);
        sampler.Add("B", "s"u8, 2);
        sampler.Add("B", "s"u8, 2);
        string full = new('x', SubjectSampler.MaxLength);
        sampler.Add("A", Bytes(full), 4);
        sampler.Add("A", Bytes(full + "1"), 8);
        sampler.Add("A", Bytes(full + "2"), 16);

        Assert.Equal(
            [("A", "s", false, 1L, 1L), ("B", "s", false, 2L, 4L), ("A", full, false, 1L, 4L), ("A", full, true, 2L, 24L)],
            Rows(sampler).Select(static r => (r.Account, r.Subject, r.IsCut, r.Samples, r.Payload)));
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);

    private static List<SubjectSampler.Row> Rows(SubjectSampler sampler)
    {
        var rows = new List<SubjectSampler.Row>();
        sampler.CopyTo(rows);
        return rows;
    }
}

using Broker.LoadTest.Rows;

namespace Broker.Benchmarks.Tests.LoadTest;

public class CatalogueTests
{
    [Fact]
    public void No_two_rows_have_the_same_name()
    {
        string[] names = [.. Catalogue.Groups.SelectMany(group => group.Rows).Select(row => row.Name)];

        Assert.Equal(names.Length, names.Distinct(StringComparer.OrdinalIgnoreCase).Count());
    }

    [Fact]
    public void No_row_is_named_like_a_group()
        => Assert.DoesNotContain(Catalogue.Groups, group => Catalogue.Groups.Any(other => other.Name != group.Name && other.Rows.Any(row => row.Name == group.Name)));

    [Fact]
    public void Without_a_choice_the_basic_rows_are_run()
        => Assert.Equal(Catalogue.Groups.Single(group => group.Name == "basic").Rows, Catalogue.Select([]));

    [Theory]
    [InlineData("basic")]
    [InlineData("tls")]
    [InlineData("real")]
    [InlineData("suspended")]
    [InlineData("scaling")]
    [InlineData("memory")]
    [InlineData("start")]
    [InlineData("fairness")]
    [InlineData("leaf")]
    [InlineData("Fairness")]
    public void A_group_is_selected_by_its_name(string name)
        => Assert.Equal(Catalogue.Groups.Single(group => string.Equals(group.Name, name, StringComparison.OrdinalIgnoreCase)).Rows, Catalogue.Select([name]));

    [Fact]
    public void All_selects_every_row_once()
        => Assert.Equal(Catalogue.Groups.Sum(group => group.Rows.Count), Catalogue.Select(["all", "basic", "pub*"]).Count);

    [Fact]
    public void A_star_matches_any_characters()
        => Assert.Equal(["fanin50", "fanin100"], Catalogue.Select(["FANIN*"]).Select(row => row.Name));

    [Fact]
    public void An_unknown_name_is_an_error_that_lists_the_known_names()
    {
        ArgumentException error = Assert.Throws<ArgumentException>(() => Catalogue.Select(["pub0", "nothing"]));

        Assert.Contains("'nothing'", error.Message, StringComparison.Ordinal);
        Assert.Contains("scaling", error.Message, StringComparison.Ordinal);
        Assert.Contains("literal-1M", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Each_dimension_has_several_points_with_one_figure()
    {
        foreach (IGrouping<string, Point> dimension in Catalogue.Groups.SelectMany(group => group.Rows).Select(row => row.Point).OfType<Point>().GroupBy(point => point.Dimension))
        {
            Assert.True(dimension.Count() > 1);
            Assert.Single(dimension.Select(point => point.Figure).Distinct());
            Assert.Equal(dimension.Count(), dimension.Select(point => point.Label).Distinct().Count());
        }
    }
}

using System.Globalization;
using Broker.Server;

namespace Broker.Cli.Configuration;

/// <summary>Reads the key <c>mappings</c>, or <c>maps</c>, of nats-server, in the file or in an account.</summary>
internal sealed class MappingsConfig(List<ConfigProblem> problems, List<ConfigProblem> warnings)
{
    private const string Shape = "a block such as { a: b, \"c.*\": \"d.$1\" }";
    private const string DestinationShape = "a subject, or an array of blocks such as [ { destination: b, weight: 50% } ]";
    private const string WeightShape = "a whole number from 0 to 100, with or without a percent sign";

    /// <summary>The names of the key. The keys of the block are subjects, so they are case-sensitive.</summary>
    public static IReadOnlyList<string> Names { get; } = ["mappings", "maps"];

    public IReadOnlyList<SubjectMapping> Read(ConfigSection section)
    {
        var mappings = new List<SubjectMapping>();
        foreach (string name in Names)
        {
            switch (section.Find(name))
            {
                case null:
                    break;
                case ConfigBlock block:
                    foreach (ConfigEntry entry in block.Entries.Where(static e => !e.IsVariable))
                    {
                        Add(entry, mappings);
                    }

                    break;
                case var value:
                    section.Wrong(name, Shape, value, mappings);
                    break;
            }
        }

        // Settings without mappings are equal to the default settings, which share one empty list.
        if (mappings.Count == 0)
        {
            return [];
        }

        return mappings;
    }

    private void Add(ConfigEntry entry, List<SubjectMapping> mappings)
    {
        int before = problems.Count;
        IReadOnlyList<MappingDestination>? destinations = Destinations(entry);
        if (destinations is null || problems.Count > before)
        {
            return;
        }

        if (mappings.Exists(m => m.Source == entry.Key))
        {
            problems.Add(new ConfigProblem($"\"{entry.Key}\" is mapped twice", entry.Position));
            return;
        }

        try
        {
            mappings.Add(new SubjectMapping(entry.Key, destinations));
        }
        catch (ArgumentException e)
        {
            problems.Add(new ConfigProblem(e.Message, entry.Position));
        }
    }

    private IReadOnlyList<MappingDestination>? Destinations(ConfigEntry entry)
    {
        IReadOnlyList<ConfigValue>? items = entry.Value switch
        {
            ConfigText text => [text],
            ConfigBlock block => [block],
            ConfigArray array when array.Items.All(static i => i is ConfigBlock) => array.Items,
            _ => null,
        };
        if (items is null)
        {
            problems.Add(new ConfigProblem($"the mapping of \"{entry.Key}\" must be {DestinationShape}", entry.Value.Position));
            return null;
        }

        return
        [
            .. items.Select(item => item is ConfigText text ? new MappingDestination(text.Value) : Weighted((ConfigBlock)item))
                .OfType<MappingDestination>(),
        ];
    }

    private MappingDestination? Weighted(ConfigBlock block)
    {
        var section = new ConfigSection(block, problems);
        string? subject = section.Text("destination", section.Text("dest", null));
        int? weight = Weight(section);
        string? cluster = section.Text("cluster", null);
        section.RejectTheRest();
        if (string.IsNullOrEmpty(subject))
        {
            section.Lacks("a mapping needs a \"destination\"");
        }
        else if (!section.Has("weight"))
        {
            section.Lacks($"\"{subject}\" needs a \"weight\"");
        }

        if (!string.IsNullOrEmpty(cluster))
        {
            // The broker acts like a nats-server that is in no cluster: only destinations without a cluster apply.
            warnings.Add(new ConfigProblem(
                $"the destination \"{subject}\" has no effect: it is only for the cluster \"{cluster}\"", block.Position));
            return null;
        }

        return subject is null || weight is null ? null : new MappingDestination(subject, weight.Value);
    }

    private static int? Weight(ConfigSection section)
        => section.Find("weight") switch
        {
            null => null,
            ConfigInteger { Value: >= 0 and <= 100 } whole => (int)whole.Value,
            ConfigText { Value: var text }
                when int.TryParse(text.AsSpan().TrimEnd('%'), NumberStyles.None, CultureInfo.InvariantCulture, out int percent) && percent <= 100
                => percent,
            var value => section.Wrong("weight", WeightShape, value, (int?)null),
        };
}

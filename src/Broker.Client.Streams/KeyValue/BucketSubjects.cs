namespace Broker.Client.Streams;

/// <summary>The subjects at which the keys of a bucket are stored and written.</summary>
/// <param name="Stored">The beginning of the subjects in the stream, with a dot at the end.</param>
/// <param name="Written">The beginning of the subjects that values are published to.</param>
internal readonly record struct BucketSubjects(string Stored, string Written)
{
    private const string DefaultPrefix = "$JS.API";

    /// <param name="stream">The stream of the bucket.</param>
    /// <param name="prefix">The beginning of the requests to the API.</param>
    internal static BucketSubjects Of(StreamConfig stream, string prefix)
    {
        if (stream.Mirror is not { } mirror)
        {
            string own = BucketNames.SubjectsOf(BucketNames.BucketOf(stream.Name));
            return new BucketSubjects(own, Through(prefix, own));
        }

        // A mirror keeps the subjects of its original, and only the original can be written.
        string original = BucketNames.SubjectsOf(BucketNames.BucketOf(mirror.Name));
        string? external = mirror.External?.ApiPrefix;
        return new BucketSubjects(original, Through(string.IsNullOrEmpty(external) ? prefix : external, original));
    }

    // The servers of a domain take values by the prefix of its requests. Without it, a value through a leaf node would
    // go to a bucket of the same name on this side of the leaf node.
    private static string Through(string prefix, string subjects) => string.Equals(prefix, DefaultPrefix, StringComparison.Ordinal) ? subjects : $"{prefix}.{subjects}";
}

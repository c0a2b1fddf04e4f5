-- clear_file
DELETE FROM file WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_file_version
DELETE FROM file_version WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_layout
DELETE FROM layout WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_redaction
DELETE FROM redaction WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_node
DELETE FROM node WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_link
DELETE FROM link WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_extract
DELETE FROM extract WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_embedded
DELETE FROM embedded WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_checkout
DELETE FROM checkout WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_history
DELETE FROM history WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_settled
DELETE FROM settled WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_link_input
DELETE FROM link_input WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_graph_tx
DELETE FROM graph_tx WHERE project = :project

-- clear_blob
DELETE FROM blob WHERE project = :project

-- clear_vector
DELETE FROM vector WHERE project = :project

-- clear_usage
DELETE FROM usage WHERE project = :project

-- clear_claim
DELETE FROM claim WHERE project = :project

-- clear_agent_session
DELETE FROM agent_session WHERE project = :project

-- clear_task
DELETE FROM task WHERE project = :project

-- clear_task_change
DELETE FROM task_change WHERE project = :project

-- clear_feature
DELETE FROM feature WHERE project = :project

-- clear_episode
DELETE FROM episode WHERE project = :project

-- clear_episode_entity
DELETE FROM episode_entity WHERE project = :project

-- clear_learning
DELETE FROM learning WHERE project = :project

-- clear_learning_entity
DELETE FROM learning_entity WHERE project = :project

-- clear_note
DELETE FROM note WHERE project = :project

-- clear_knowledge
DELETE FROM knowledge WHERE project = :project

-- clear_knowledge_view
DELETE FROM knowledge_view WHERE project = :project

-- clear_index_error
DELETE FROM index_error WHERE project = :project AND (checkout = :checkout OR :checkout = 0)

-- clear_job
DELETE FROM job WHERE project = :project

-- clear_project
DELETE FROM project WHERE project = :project
